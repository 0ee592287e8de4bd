// wrote: Tensor<f32, Shape<4>> scale; as a member of a model
// write: nn::Param<f32, Shape<4>, nn::init::Ones> scale;
// expect: Tensor<float
// first-error: tensors are parameters and buffers
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Param<f32, Shape<4>, nn::init::Ones> scale;
  constexpr auto operator()(auto x) const { return x * scale; }
#else
  Tensor<f32, Shape<4> > scale;
  constexpr auto operator()(auto x) const { return x * 2; }
#endif
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 4>);
}
