// wrote: TensorView<f32, Shape<3>, Cpu> x(a.data()), of doubles
// write: TensorView<f64, Shape<3>, Cpu> x(a.data())
// expect: double
// expect: Shape<3>
// first-error: the elements have another dtype than the tensor:
#include "weft/weft.hpp"
using namespace weft;

int main() {
  std::vector<f64> values{1, 2, 3};
#ifdef WEFT_FIXED
  TensorView<f64, Shape<3>, Cpu> x(values.data());
#else
  TensorView<f32, Shape<3>, Cpu> x(values.data());
#endif
  return x[0] > 2;
}
