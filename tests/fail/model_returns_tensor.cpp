// wrote: constexpr Tensor<f32, Shape<5, 4>> operator()(auto x) const
// write: constexpr auto operator()(auto x) const
// expect: Tensor<float
// first-error: the result of a traced function is a value, whose type is deduced
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
#else
  nn::Linear<8, 4> fc;
  constexpr Tensor<f32, Shape<5, 4> > operator()(auto x) const { return fc(x); }
#endif
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 5, 8>);
}
