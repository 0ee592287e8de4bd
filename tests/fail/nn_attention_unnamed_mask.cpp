// wrote: attn(x, x, x, pad)
// write: attn(x, x, x, nn::key_padding_mask(pad))
// expect: nn::MultiheadAttention<64, 4
// first-error: a mask says which it is
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::MultiheadAttention<64, 4> attn;
  constexpr auto operator()(auto x, auto pad) const {
#ifdef WEFT_FIXED
    return attn(x, x, x, nn::key_padding_mask(pad));
#else
    return attn(x, x, x, pad);
#endif
  }
};

int main() {
  Model<Net> model{Cpu{}, 0};
  auto f = compile(
      model, [](const auto& m, auto... x) { return m(x...); }, in<f32, 4, 8, 64>, in<bool, 8, 4>);
}
