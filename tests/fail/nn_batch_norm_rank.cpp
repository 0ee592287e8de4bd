// expect: BatchNorm2d takes four axes
// expect: Shape<4, 16, 8>
// first-error: the input's shape does not fit the normalisation
#include "weft/exec/model.hpp"
#include "weft/nn/batch_norm.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::BatchNorm1d<16> norm{};
#else
  nn::BatchNorm2d<16> norm{};
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return m.norm(x); }, in<f32, 4, 16, 8>);
}
