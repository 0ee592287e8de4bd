// expect: the subscripts are not well formed
// expect: Einsum
// expect: Shape<4, 8>
// first-error: the subscripts are not well formed
#include "weft/exec/function.hpp"
#include "weft/ops/linalg/einsum.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return einsum<"ij->ji">(x); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return einsum<"ij->ik">(x); }, in<f32, 4, 8>);
#endif
  static_cast<void>(f);
}
