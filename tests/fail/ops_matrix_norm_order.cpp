// expect: singular values
// expect: MatrixNormOp
// expect: OrderOf<2>
// first-error: singular values
#include "weft/exec/function.hpp"
#include "weft/ops/linalg/matrix_norm.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return matrix_norm(x, order<1>); }, in<f32, 2, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return matrix_norm(x, order<2>); }, in<f32, 2, 3>);
#endif
  static_cast<void>(f);
}
