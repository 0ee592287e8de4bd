// wrote: scaled_dot_product_attention(q, q, q, {.is_causal = true})
// write: scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, q, q)
// expect: there are no keyword arguments in braces
// first-error: KeywordsAreArguments<
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto q) {
#ifdef WEFT_FIXED
        return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, q, q);
#else
        return scaled_dot_product_attention(q, q, q, {.is_causal = true});
#endif
      },
      in<f32, 2, 2, 8, 16>);
}
