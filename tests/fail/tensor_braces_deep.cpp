// wrote: Tensor<f32, Shape<2, 1, 2>> x{{{1, 2}}, {{3, 4}}};
// write: Tensor<f32, Shape<2, 1, 2>> x{1, 2, 3, 4};
// expect: Shape<2, 1, 2>
// first-error: braces in braces are the rows of a tensor of two axes
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 1, 2>> x{1, 2, 3, 4};
#else
  Tensor<f32, Shape<2, 1, 2>> x{{{1, 2}}, {{3, 4}}};
#endif
}
