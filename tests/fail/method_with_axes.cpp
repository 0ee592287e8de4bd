// wrote: x.template reshape<2, 8>(), x.template sum<1>(), t.reshape<2, 8>() of a Tensor
// write: reshape<2, 8>(x), sum<1>(x), reshape<2, 8>(t)
// expect: reshape
// first-error: an operation is a function, whose sizes and axes are template arguments
#include "weft/exec/immediate.hpp"
#include "weft/ops/shape/movement.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return reshape<2, 8>(x);
#else
        return x.template reshape<2, 8>();
#endif
      },
      in<f32, 4, 4>);
}
