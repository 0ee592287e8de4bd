// wrote: return dynamic_update_slice<0>(x, y, i);
// write: return dynamic_update_slice<0>(x, cast<f32>(y), i);
// expect: float
// first-error: the dtypes differ: convert one operand
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y, auto i) {
#ifdef WEFT_FIXED
        return dynamic_update_slice<0>(x, cast<f32>(y), i);
#else
        return dynamic_update_slice<0>(x, y, i);
#endif
      },
      in<f32, 4, 8>, in<bf16, 1, 8>, in<i32>);
}
