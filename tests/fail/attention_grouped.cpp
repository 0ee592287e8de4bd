// wrote: scaled_dot_product_attention(q, k, v), of 8 heads of q and 2 of k and v
// write: scaled_dot_product_attention<AttentionOptions{.enable_gqa = true}>(q, k, v)
// expect: Shape<2, 2, 6, 16>
// first-error: .enable_gqa = true
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return scaled_dot_product_attention<AttentionOptions{.is_causal = true, .enable_gqa = true}>(x, y, y);
#else
        return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(x, y, y);
#endif
      },
      in<f32, 2, 8, 6, 16>, in<f32, 2, 2, 6, 16>);
}
