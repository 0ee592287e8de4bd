// wrote: Tensor<i32, Shape<2>> x{a, a};  // of double a
// write: Tensor<i32, Shape<2>> x{static_cast<i32>(a), static_cast<i32>(a)};
// expect: Shape<2>
// first-error: the elements have another dtype than the tensor: give it values of its own
#include "weft/weft.hpp"
using namespace weft;

int main() {
  double a = 1.5;
#ifdef WEFT_FIXED
  Tensor<i32, Shape<2>> x{static_cast<i32>(a), static_cast<i32>(a)};
#else
  Tensor<i32, Shape<2>> x{a, a};
#endif
}
