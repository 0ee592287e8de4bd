// wrote: Tensor x{1.0f, 2.0f};
// write: Tensor<f32, Shape<2>> x{1, 2};
// expect: float
// first-error: a tensor has its shape in its type
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2>> x{1, 2};
#else
  Tensor x{1.0f, 2.0f};
#endif
}
