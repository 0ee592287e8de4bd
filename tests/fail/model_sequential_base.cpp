// wrote: struct Act : Base {...}; nn::Sequential<nn::Linear<8, 8>, Act, nn::Linear<8, 8>>
// write: struct Act {...};
// expect: Act
// first-error: nn::Sequential: a layer without members has no base class
#include "weft/weft.hpp"
using namespace weft;

struct Base {};
#ifdef WEFT_FIXED
struct Act {
#else
struct Act : Base {
#endif
  constexpr auto operator()(const auto& x) const { return tanh(x); }
};

int main() {
  Model<nn::Sequential<nn::Linear<8, 8>, Act, nn::Linear<8, 8>>> model(Cpu{}, seed{1});
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 8>);
}
