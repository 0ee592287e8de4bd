// expect: the mask of an attention does not broadcast to its scores
// expect: Shape<6, 4>
// expect: Shape<2, 4, 6>
// first-error: the mask of an attention does not broadcast to its scores
#include "weft/exec/function.hpp"
#include "weft/ops/nn/attention.hpp"
using namespace weft;

#ifdef WEFT_FIXED
constexpr auto mask = in<bool, 4, 6>;
#else
constexpr auto mask = in<bool, 6, 4>;
#endif

int main() {
  auto f = compile(
      Cpu{}, [](auto q, auto k, auto v, auto m) { return scaled_dot_product_attention(q, k, v, m); },
      in<f32, 2, 4, 8>, in<f32, 2, 6, 8>, in<f32, 2, 6, 8>, mask);
}
