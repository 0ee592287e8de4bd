// expect: an operand has another number of axes than its subscripts name
// expect: Einsum
// expect: Shape<4, 8>
// first-error: an operand has another number of axes than its subscripts name
#include "weft/exec/function.hpp"
#include "weft/ops/linalg/einsum.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return einsum<"ij->i">(x); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return einsum<"ijk->ik">(x); }, in<f32, 4, 8>);
#endif
  static_cast<void>(f);
}
