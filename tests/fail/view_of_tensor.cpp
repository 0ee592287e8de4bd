// wrote: TensorView<f32, Shape<2, 3>, Cpu> u = t;
// write: TensorView<f32, Shape<2, 3>, Cpu> u(t.data());
// expect: Shape<6>
// first-error: a view is made of a pointer
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<6>> t;
#ifdef WEFT_FIXED
  TensorView<f32, Shape<2, 3>, Cpu> u(t.data());
#else
  TensorView<f32, Shape<2, 3>, Cpu> u = t;
#endif
}
