// wrote: static constexpr nn::Linear<8, 4> fc{};
// write: nn::Linear<8, 4> fc;
// expect: Net
// first-error: a layer or parameter that is used is no member of the model
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Linear<8, 4> fc;
#else
  static constexpr nn::Linear<8, 4> fc{};
#endif
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
