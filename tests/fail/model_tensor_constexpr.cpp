// wrote: constexpr auto operator()(Tensor<f32, Shape<4, 8>> x) const { return fc(x); }
// write: constexpr auto operator()(auto x) const { return fc(x); }
// expect: Tensor<float,
// first-error: a run-time Tensor cannot be used inside a traced function
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 8> fc;
#ifdef WEFT_FIXED
  constexpr auto operator()(auto x) const { return fc(x); }
#else
  constexpr auto operator()(Tensor<f32, Shape<4, 8> > x) const { return fc(x); }
#endif
};

int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& m, auto x) { return m(x); }, in<f32, 4, 8>);
}
