// wrote: return dynamic_update_slice(x, y, i, 0);
// write: return dynamic_update_slice(x, unsqueeze<0>(y), i, 0);
// expect: Shape<8>
// first-error: the block does not fit: it needs
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y, auto i) {
#ifdef WEFT_FIXED
        return dynamic_update_slice(x, unsqueeze<0>(y), i, 0);
#else
        return dynamic_update_slice(x, y, i, 0);
#endif
      },
      in<f32, 4, 8>, in<f32, 8>, in<i32>);
}
