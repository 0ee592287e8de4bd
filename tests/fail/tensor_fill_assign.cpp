// wrote: a = 5.0f;
// write: a = Tensor<f32, Shape<4>>::full(5);
// expect: Shape<4>
// first-error: for one number everywhere write
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<4>> a{1, 2, 3, 4};
#ifdef WEFT_FIXED
  a = Tensor<f32, Shape<4>>::full(5);
#else
  a = 5.0f;
#endif
}
