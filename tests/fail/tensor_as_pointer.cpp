// wrote: float* p = x;
// write: float* p = x.data();
// expect: Shape<3>
// first-error: a pointer to the elements of a tensor is x.data()
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<3>> x;
#ifdef WEFT_FIXED
  float* p = x.data();
#else
  float* p = x;
#endif
}
