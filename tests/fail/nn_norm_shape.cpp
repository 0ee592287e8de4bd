// expect: the input's shape does not fit the normalisation
// expect: LayerNormOf<f
// expect: Shape<4, 16>
// first-error: the input's shape does not fit the normalisation
#include "weft/exec/model.hpp"
#include "weft/nn/norm.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::LayerNorm<16> norm{};
#else
  nn::LayerNorm<8> norm{};
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return m.norm(x); }, in<f32, 4, 16>);
}
