// wrote: t.reshape<2, 8>(), t.sum<1>() of a Tensor
// write: reshape<2, 8>(t), sum<1>(t)
// expect: sum
// first-error: an operation is a function, run when its result is assigned to a tensor
#include "weft/exec/immediate.hpp"
#include "weft/ops/reduce/reduce.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<4, 4>> t;
#ifdef WEFT_FIXED
  Tensor<f32, Shape<4>> s = sum<1>(t);
#else
  auto s = t.sum<1>();
#endif
}
