// wrote: nn::Buffer<f32, Shape<8>> seen = ones<f32, 8>() * 2;
// write: nn::Buffer<f32, Shape<8>, nn::init::Constant<2, 1>> seen{};
// expect: Buffer<float
// first-error: starting value is its third template argument
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Buffer<f32, Shape<8>, nn::init::Constant<2, 1>> seen{};
  constexpr auto operator()(auto x) const { return seen * x; }
#else
  nn::Buffer<f32, Shape<8>> seen = ones<f32, 8>() * 2;
  constexpr auto operator()(auto x) const { return seen * x; }
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
