// wrote: nn::vector_to_parameters(v, m), of in<f32, 32> and a model of 36 parameters
// write: nn::vector_to_parameters(v, m), of in<f32, 36>
// expect: WantedSize<36>
// first-error: nn::vector_to_parameters: a vector with as many elements as the model has trained ones
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model(Cpu{}, 1);
#ifdef WEFT_FIXED
  constexpr i64 n = 36;
#else
  constexpr i64 n = 32;
#endif
  auto f = compile(
      model, [](const auto& m, auto v, auto x) { return nn::vector_to_parameters(v, m)(x); }, in<f32, n>,
      in<f32, 2, 8>);
}
