// wrote: nn::TransformerEncoder<nn::TransformerEncoderLayer<64, 8>> n;
// write: nn::TransformerEncoder<nn::TransformerEncoderLayer<64, 8>, 2> n;
// expect: GivenSize<0>
// first-error: the number of layers follows the layer
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::TransformerEncoder<nn::TransformerEncoderLayer<64, 8>, 2> n;
  constexpr auto operator()(auto x) const { return n(x); }
#else
  nn::TransformerEncoder<nn::TransformerEncoderLayer<64, 8> > n;
  constexpr auto operator()(auto x) const { return n(x); }
#endif
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 5, 2, 64>);
}
