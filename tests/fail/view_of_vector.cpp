// wrote: TensorView<f32, Shape<2, 3>, Cpu> u = v;
// write: TensorView<f32, Shape<2, 3>, Cpu> u(v.data());
// expect: Shape<2, 3>
// first-error: a view is made of a pointer
#include "weft/weft.hpp"
using namespace weft;

int main() {
  std::vector<f32> v(6);
#ifdef WEFT_FIXED
  TensorView<f32, Shape<2, 3>, Cpu> u(v.data());
#else
  TensorView<f32, Shape<2, 3>, Cpu> u = v;
#endif
}
