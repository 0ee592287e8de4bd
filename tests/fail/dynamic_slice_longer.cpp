// wrote: return dynamic_slice<1, 9>(x, i) + y;
// write: return dynamic_slice<1, 6>(x, i) + y;
// expect: Shape<4, 9>
// first-error: the block does not fit: it needs
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y, auto i) {
#ifdef WEFT_FIXED
        return dynamic_slice<1, 6>(x, i) + y;
#else
        return dynamic_slice<1, 9>(x, i) + y;
#endif
      },
      in<f32, 4, 8>, in<f32>, in<i32>);
}
