// wrote: Tensor<f32, Shape<1, 2, 1, 2, 1, 2, 1, 2, 3>> x
// write: Tensor<f32, Shape<1, 2, 1, 2, 1, 2, 1, 6>> x
// expect: GivenRank<9>
// first-error: a tensor has at most 8 axes
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<1, 2, 1, 2, 1, 2, 1, 6>> x;
#else
  Tensor<f32, Shape<1, 2, 1, 2, 1, 2, 1, 2, 3>> x;
#endif
}
