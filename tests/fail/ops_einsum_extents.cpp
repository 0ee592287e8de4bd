// expect: a letter stands for axes of different extents
// expect: Einsum
// expect: Shape<4, 3>
// first-error: a letter stands for axes of different extents
#include "weft/exec/function.hpp"
#include "weft/ops/linalg/einsum.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return einsum<"ij,ik->jk">(x, y); }, in<f32, 4, 8>, in<f32, 4, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return einsum<"ij,jk->ik">(x, y); }, in<f32, 4, 8>, in<f32, 4, 3>);
#endif
  static_cast<void>(f);
}
