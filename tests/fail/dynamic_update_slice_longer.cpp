// wrote: return dynamic_update_slice<0>(x, y, i);
// write: return dynamic_update_slice<0>(x, slice<0, 0, 4>(y), i);
// expect: Shape<5, 8>
// first-error: the block does not fit: it needs
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y, auto i) {
#ifdef WEFT_FIXED
        return dynamic_update_slice<0>(x, slice<0, 0, 4>(y), i);
#else
        return dynamic_update_slice<0>(x, y, i);
#endif
      },
      in<f32, 4, 8>, in<f32, 5, 8>, in<i32>);
}
