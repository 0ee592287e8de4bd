// wrote: scaled_dot_product_attention<true>(q, k, v)
// write: scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, k, v)
// expect: its own options
// first-error: its own options
#include "weft/exec/function.hpp"
#include "weft/ops.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{},
      [](auto q) { return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(q, q, q); },
      in<f32, 2, 2, 8, 16>);
#else
  auto f = compile(
      Cpu{}, [](auto q) { return scaled_dot_product_attention<true>(q, q, q); }, in<f32, 2, 2, 8, 16>);
#endif
}
