// wrote: matmul(x, fc.weight.t())
// write: matmul(x, t(fc.weight))
// expect: MethodIsFunction
// first-error: an operation is a function, whose sizes and axes
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 8> fc;
  nn::Buffer<f32, Shape<8>> seen;
  constexpr auto operator()(auto x) const {
#ifdef WEFT_FIXED
    return matmul(x, t(fc.weight));
#else
    return matmul(x, fc.weight.t());
#endif
  }
};

int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>);
}
