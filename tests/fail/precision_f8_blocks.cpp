// expect: precision::f8_with: the blocks of an nn::Stack are one loop, and the predicate holds for some of
// first-error: precision::f8_with: the blocks of an nn::Stack are one loop
#include <array>

#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  std::array<nn::Linear<8, 8>, 3> h;
  constexpr auto operator()(auto x) const { return h[2](h[1](h[0](x))); }
#else
  nn::Stack<nn::Linear<8, 8>, 3> h;
  constexpr auto operator()(auto x) const { return h(x); }
#endif
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& model, auto x, auto y) { return mse_loss(model(x), y); }, in<f32, 16, 8>,
      in<f32, 16, 8>, optim::AdamW{.lr = 1e-3f},
      precision::f8_with<precision::DelayedScaling{},
                         [](std::string_view name, const Dims&) { return name == "h.1.weight"; }>);
}
