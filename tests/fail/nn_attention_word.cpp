// expect: after its operands a layer takes only named arguments that it knows
// expect: TransformerEncoderLayer
// first-error: after its operands a layer takes only named arguments that it knows
#include "weft/exec/model.hpp"
#include "weft/nn/transformer.hpp"
using namespace weft;

struct Net {
  nn::TransformerEncoderLayer<8, 4> layer{};
};

int main() {
  Model<Net> model;
  auto f = compile(
      model,
      [](const auto& n, auto x) {
#ifdef WEFT_FIXED
        return n.layer(x, nn::is_causal);
#else
        return n.layer(x, nn::is_causal, nn::is_causal);
#endif
      },
      in<f32, 6, 2, 8>);
}
