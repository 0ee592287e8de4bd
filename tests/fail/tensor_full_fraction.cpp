// wrote: auto x = Tensor<i32, Shape<3>>::full(1.5);
// write: auto x = Tensor<f32, Shape<3>>::full(1.5);
// expect: Shape<3>
// first-error: the elements have another dtype than the tensor: give it values of its own
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto x = Tensor<f32, Shape<3>>::full(1.5);
#else
  auto x = Tensor<i32, Shape<3>>::full(1.5);
#endif
}
