// wrote: scatter<0>(cast<i32>(x), places, x)
// write: scatter<0>(cast<i32>(x), places, cast<i32>(x))
// expect: ScatterOp<0>
// first-error: the tensor is of integers and the value is floating
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return scatter<0>(cast<i32>(x), arange<i64, 4>(), cast<i32>(x));
#else
        return scatter<0>(cast<i32>(x), arange<i64, 4>(), x);
#endif
      },
      in<f32, 4>);
}
