// wrote: norm<2>(x)
// write: norm<>(x)
// expect: NormOp
// expect: Shape<4, 8>
// first-error: what stands in <> of norm are axes
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return norm<>(x);
#else
        return norm<2>(x);
#endif
      },
      in<f32, 4, 8>);
}
