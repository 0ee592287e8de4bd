// wrote: linear(x, w) with w (in, out)
// write: linear(x, t(w)), matmul(x, w)
// expect: LinearOp, weft::v0_1::Shape<4, 8>, weft::v0_1::Shape<8, 3>
// first-error: linear: the weight is (out, in), as in PyTorch
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto w) {
#ifdef WEFT_FIXED
        return linear(x, t(w));
#else
        return linear(x, w);
#endif
      },
      in<f32, 4, 8>, in<f32, 8, 3>);
}
