// wrote: Tensor<f32, Shape<2>> x{"1", "2"};
// write: Tensor<f32, Shape<2>> x{1, 2};
// expect: Shape<2>
// first-error: the elements have another dtype than the tensor: give it values of its own
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2>> x{1, 2};
#else
  Tensor<f32, Shape<2>> x{"1", "2"};
#endif
}
