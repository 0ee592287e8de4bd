// wrote: x.push_back(1.0f);
// write: std::vector<f32> values;  values.push_back(1.0f);  Tensor<f32, Shape<1>> x(values);
// expect: push_back
// first-error: a tensor has the size that its type says
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  std::vector<f32> values;
  values.push_back(1.0f);
  Tensor<f32, Shape<1>> x(values);
#else
  Tensor<f32, Shape<3>> x;
  x.push_back(1.0f);
#endif
}
