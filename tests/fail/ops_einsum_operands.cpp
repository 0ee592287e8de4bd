// expect: the subscripts name another number of operands
// expect: Einsum
// expect: Shape<4, 8>
// first-error: the subscripts name another number of operands
#include "weft/exec/function.hpp"
#include "weft/ops/linalg/einsum.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return einsum<"ij->j">(x); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return einsum<"ij,jk->ik">(x); }, in<f32, 4, 8>);
#endif
  static_cast<void>(f);
}
