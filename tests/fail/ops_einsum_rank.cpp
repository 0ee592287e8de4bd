// expect: einsum: more than 8 axes are needed at once
// expect: Shape<2, 2, 1000>
// first-error: einsum: more than 8 axes are needed at once
#include "weft/exec/function.hpp"
#include "weft/ops/linalg/einsum.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  constexpr auto last = in<f32, 2, 2, 1>;
#else
  constexpr auto last = in<f32, 2, 2, 1000>;  // so that the first two are put together first: a to i
#endif
  auto f = compile(
      Cpu{}, [](auto x, auto y, auto z) { return einsum<"abcde,fghi,afk->bcdeghik">(x, y, z); },
      in<f32, 2, 2, 2, 2, 2>, in<f32, 2, 2, 2, 2>, last);
}
