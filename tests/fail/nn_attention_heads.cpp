// expect: MultiheadAttention<embed_dim, num_heads>: embed_dim is a multiple of num_heads
// first-error: MultiheadAttention<embed_dim, num_heads>: embed_dim is a multiple of num_heads
#include "weft/exec/model.hpp"
#include "weft/nn/attention.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::MultiheadAttention<12, 4> attn{};
#else
  nn::MultiheadAttention<12, 5> attn{};
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return m.attn(x, x, x); }, in<f32, 6, 2, 12>);
}
