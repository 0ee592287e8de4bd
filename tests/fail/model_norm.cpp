// wrote: norm<>(model)
// write: norm<>(nn::parameters_to_vector(model))
// expect: NormOp<2, false>, Net
// first-error: an operand is a model or a tuple, and no value
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{},
      [](const auto& m, auto x, auto y) {
#ifdef WEFT_FIXED
        return cross_entropy(m(x), y) + 0.01f * norm<>(nn::parameters_to_vector(m));
#else
        return cross_entropy(m(x), y) + 0.01f * norm<>(m);
#endif
      },
      in<f32, 16, 8>, in<i32, 16>, optim::SGD{.lr = 0.1f});
}
