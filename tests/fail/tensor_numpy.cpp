// wrote: auto s = t.numpy();
// write: auto s = t.to_vector();
// expect: Shape<2, 3>
// first-error: the elements of a tensor are t(1, 2), t[5], t.data() and t.to_vector()
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<f32, Shape<2, 3>> t;
  auto s = t.to_vector();
#else
  Tensor<f32, Shape<2, 3>> t;
  auto s = t.numpy();
#endif
}
