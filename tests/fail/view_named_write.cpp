// wrote: TensorView<f32, Shape<8>> v(p);  v = t * 2;
// write: std::move(v) = t * 2;
// expect: Shape<8>
// first-error: = gives a view that has a name other memory
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<8>> t, u;
  TensorView<f32, Shape<8>> v(u.data());
#ifdef WEFT_FIXED
  std::move(v) = t * 2;
#else
  v = t * 2;
#endif
}
