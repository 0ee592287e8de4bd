// wrote: std::cout << a * 2;
// write: Tensor<f32, Shape<4>> b = a * 2; std::cout << b;
// expect: Lazy
// first-error: an expression of tensors runs when it is assigned to a tensor
#include <iostream>

#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<4>> a{1, 2, 3, 4};
#ifdef WEFT_FIXED
  Tensor<f32, Shape<4>> b = a * 2;
  std::cout << b;
#else
  std::cout << a * 2;
#endif
}
