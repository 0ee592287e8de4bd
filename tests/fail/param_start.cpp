// wrote: nn::Param<f32, Shape<8>> scale = randn<f32, 8>();
// write: nn::Param<f32, Shape<8>, nn::init::Normal<>> scale{};
// expect: RandnOp
// first-error: starting value is its third template argument
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Param<f32, Shape<8>, nn::init::Normal<>> scale{};
  constexpr auto operator()(auto x) const { return scale * x; }
#else
  nn::Param<f32, Shape<8>> scale = randn<f32, 8>();
  constexpr auto operator()(auto x) const { return scale * x; }
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
