// expect: attn_mask has the wrong shape: it is (L, S) or (N * heads, L, S)
// expect: Shape<2, 6, 6>
// first-error: attn_mask has the wrong shape
#include "weft/exec/model.hpp"
#include "weft/nn/attention.hpp"
using namespace weft;

struct Net {
  nn::MultiheadAttention<8, 4> attn{};
};

#ifdef WEFT_FIXED
constexpr auto mask = in<bool, 8, 6, 6>;
#else
constexpr auto mask = in<bool, 2, 6, 6>;
#endif

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& n, auto x, auto m) { return n.attn(x, x, x, nn::attn_mask(m)); },
      in<f32, 6, 2, 8>, mask);
}
