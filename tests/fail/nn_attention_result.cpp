// wrote: std::get<0>(attn(x, x, x))
// write: attn(x, x, x)
// expect: Expr<float
// first-error: this is one value and no tuple
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::MultiheadAttention<8, 2> attn{};
#ifdef WEFT_FIXED
  constexpr auto operator()(auto x) const { return attn(x, x, x); }
#else
  constexpr auto operator()(auto x) const { return std::get<0>(attn(x, x, x)); }
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
