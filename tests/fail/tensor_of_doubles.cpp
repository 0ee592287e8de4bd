// wrote: Tensor<f32, Shape<3>> x(std::vector<f64>)
// write: Tensor<f32, Shape<3>> x(std::vector<f32>)
// expect: double
// expect: Shape<3>
// first-error: the elements have another dtype than the tensor:
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  const std::vector<f32> values{1, 2, 3};
#else
  const std::vector<f64> values{1, 2, 3};
#endif
  Tensor<f32, Shape<3>> x(values);
  return x[0] > 2;
}
