// wrote: return x + full<i32, 4, 8>(1.5);
// write: return x + full<f32, 4, 8>(1.5);
// expect: FullOp<int, 4, 8>
// first-error: the tensor is of integers and the number is floating
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + full<f32, 4, 8>(1.5);
#else
        return x + full<i32, 4, 8>(1.5);
#endif
      },
      in<f32, 4, 8>);
}
