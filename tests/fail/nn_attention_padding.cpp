// expect: key_padding_mask has the wrong shape: it is (N, S), or (S) without a batch
// expect: Shape<6, 2>
// first-error: key_padding_mask has the wrong shape
#include "weft/exec/model.hpp"
#include "weft/nn/transformer.hpp"
using namespace weft;

struct Net {
  nn::TransformerEncoder<nn::TransformerEncoderLayer<8, 4>, 2> encoder{};
};

#ifdef WEFT_FIXED
constexpr auto padding = in<bool, 2, 6>;
#else
constexpr auto padding = in<bool, 6, 2>;
#endif

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& n, auto x, auto p) { return n.encoder(x, nn::src_key_padding_mask(p)); },
      in<f32, 6, 2, 8>, padding);
}
