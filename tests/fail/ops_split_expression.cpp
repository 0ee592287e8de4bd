// wrote: auto [p, q] = chunk<2>(a + b); of tensors
// write: const Tensor<f32, Shape<4, 8>> c = a + b; auto [p, q] = chunk<2>(c);
// expect: BinaryOp
// first-error: an expression of tensors is assigned to one first
#include "weft/weft.hpp"
using namespace weft;

int main() {
  Tensor<f32, Shape<4, 8>> a, b;
#ifdef WEFT_FIXED
  const Tensor<f32, Shape<4, 8>> c = a + b;
  auto [p, q] = chunk<2>(c);
#else
  auto [p, q] = chunk<2>(a + b);
#endif
  Tensor<f32, Shape<2, 8>> r = p * q;
}
