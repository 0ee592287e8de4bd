// wrote: nn::TransformerDecoderLayer<64, 8> n; n(x)
// write: n(tgt, memory)
// expect: TransformerDecoderLayer<64, 8
// first-error: the layer takes more than one value
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::TransformerDecoderLayer<64, 8> n;
  constexpr auto operator()(auto x) const { return n(x, x); }
#else
  nn::TransformerDecoderLayer<64, 8> n;
  constexpr auto operator()(auto x) const { return n(x); }
#endif
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 5, 2, 64>);
}
