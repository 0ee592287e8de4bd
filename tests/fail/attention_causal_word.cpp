// wrote: scaled_dot_product_attention(q, k, v, nn::is_causal)
// write: scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, k, v)
// expect: Keyword
// first-error: nn::is_causal, nn::attn_mask(m) and their like are arguments of the layer
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto q, auto k, auto v) {
#ifdef WEFT_FIXED
        return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, k, v);
#else
        return scaled_dot_product_attention(q, k, v, nn::is_causal);
#endif
      },
      in<f32, 2, 4, 6, 8>, in<f32, 2, 4, 6, 8>, in<f32, 2, 4, 6, 8>);
}
