// wrote: return scaled_dot_product_attention(q, q, q, true);
// write: return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, q, q);
// expect: Shape<2, 2, 8, 16>
// first-error: is_causal is an option among the template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto q) {
#ifdef WEFT_FIXED
        return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, q, q);
#else
        return scaled_dot_product_attention(q, q, q, true);
#endif
      },
      in<f32, 2, 2, 8, 16>);
}
