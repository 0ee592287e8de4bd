// wrote: attn(q, q, q, nn::is_causal(true))
// write: attn(q, q, q, nn::is_causal)
// expect: are named alone
// first-error: are named alone
#include "weft/exec/model.hpp"
#include "weft/nn.hpp"
using namespace weft;

struct Net {
  nn::MultiheadAttention<16, 2, nn::MultiheadOptions{.batch_first = true}> attn{};
};

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  auto f = compile(
      model, [](const auto& m, auto q) { return m.attn(q, q, q, nn::is_causal); }, in<f32, 2, 8, 16>);
#else
  auto f = compile(
      model, [](const auto& m, auto q) { return m.attn(q, q, q, nn::is_causal(true)); }, in<f32, 2, 8, 16>);
#endif
}
