// wrote: Tensor<f32, Shape<3, 2>> c = topk<2>(a);
// write: auto [top, places] = topk<2>(a); Tensor<f32, Shape<3, 2>> c = top;
// expect: Shape<3, 2>
// first-error: the function has several results
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<3, 4>> a;
#ifdef WEFT_FIXED
  auto [top, places] = topk<2>(a);
  Tensor<f32, Shape<3, 2>> c = top;
#else
  Tensor<f32, Shape<3, 2>> c = topk<2>(a);
#endif
}
