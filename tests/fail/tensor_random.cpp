// wrote: Tensor<f32, Shape<3>> x = Tensor<f32, Shape<3>>::Random();
// write: Tensor<f32, Shape<3>> x = rand<f32, 3>();
// expect: Random
// first-error: a tensor is created by a function
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<3>> x = rand<f32, 3>();
#else
  Tensor<f32, Shape<3>> x = Tensor<f32, Shape<3>>::Random();
#endif
}
