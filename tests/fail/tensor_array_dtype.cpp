// wrote: double a[3]; Tensor<f32, Shape<3>> x(a);
// write: double a[3]; Tensor<f64, Shape<3>> x(a);
// expect: Shape<3>
// first-error: the elements have another dtype than the tensor: give it values of its own
#include "weft/weft.hpp"
using namespace weft;

int main() {
  double a[3] = {1, 2, 3};
#ifdef WEFT_FIXED
  Tensor<f64, Shape<3>> x(a);
#else
  Tensor<f32, Shape<3>> x(a);
#endif
}
