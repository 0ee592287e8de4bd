// wrote: std::tuple<nn::Linear<8, 8>, nn::ReLU> layers;
// write: nn::Sequential<nn::Linear<8, 8>, nn::ReLU> layers;
// expect: ModelHasNoContainer<std::tuple
// first-error: a model holds layers, parameters and numbers
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Sequential<nn::Linear<8, 8>, nn::ReLU> layers;
#else
  std::tuple<nn::Linear<8, 8>, nn::ReLU> layers;
#endif
  constexpr auto operator()(auto x) const { return x; }
};

int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>);
}
