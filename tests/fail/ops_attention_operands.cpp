// expect: the operands of an attention do not fit
// expect: Shape<2, 6, 16>
// first-error: the operands of an attention do not fit
#include "weft/exec/function.hpp"
#include "weft/ops/nn/attention.hpp"
using namespace weft;

#ifdef WEFT_FIXED
constexpr i64 features = 8;
#else
constexpr i64 features = 16;
#endif

int main() {
  auto f = compile(
      Cpu{}, [](auto q, auto k, auto v) { return scaled_dot_product_attention(q, k, v); }, in<f32, 2, 4, 8>,
      in<f32, 2, 6, features>, in<f32, 2, 6, 8>);
}
