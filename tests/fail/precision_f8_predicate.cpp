// wrote: precision::f8_with<s, [](std::string_view name) { ... }>
// write: precision::f8_with<s, [](std::string_view name, const Dims& shape) { ... }>
// expect: precision::f8_with: the predicate is constexpr and takes the name of a parameter and its shape
// first-error: precision::f8_with: the predicate is constexpr and takes the name of a parameter
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); }, in<f32, 16, 8>,
      in<i32, 16>, optim::AdamW{.lr = 1e-3f},
#ifdef WEFT_FIXED
      precision::f8_with<precision::DelayedScaling{},
                         [](std::string_view name, const Dims&) { return name != "fc2.weight"; }>);
#else
      precision::f8_with<precision::DelayedScaling{},
                         [](std::string_view name) { return name != "fc2.weight"; }>);
#endif
}
