// expect: the heads of a grouped attention do not fit
// expect: Shape<2, 6, 4, 8>
// first-error: the heads of a grouped attention do not fit
#include "weft/exec/function.hpp"
#include "weft/ops/nn/attention.hpp"
using namespace weft;

#ifdef WEFT_FIXED
constexpr i64 heads = 3;
#else
constexpr i64 heads = 4;
#endif

int main() {
  auto f = compile(
      Cpu{},
      [](auto q, auto k, auto v) {
        return scaled_dot_product_attention<AttentionOptions{.enable_gqa = true}>(q, k, v);
      },
      in<f32, 2, 6, 4, 8>, in<f32, 2, heads, 5, 8>, in<f32, 2, heads, 5, 8>);
}
