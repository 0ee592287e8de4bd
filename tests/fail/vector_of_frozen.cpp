// wrote: nn::parameters_to_vector(m.start) of nn::Frozen<Net> start
// write: cat<0>(flatten<0>(m.start.inner.weight), m.start.inner.bias)
// expect: Frozen
// first-error: nn::parameters_to_vector: the model has no trained parameter
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Frozen<nn::Linear<8, 3>> start;
  nn::Linear<8, 3> fc;
};

int main() {
  Model<Net> model;
  auto f = compile(
      model,
      [](const auto& m, auto x) {
#ifdef WEFT_FIXED
        return sum(x) * cat<0>(flatten<0>(m.start.inner.weight), m.start.inner.bias);
#else
        return sum(x) * nn::parameters_to_vector(m.start);
#endif
      },
      in<f32, 8>);
}
