// wrote: nn::Param<f32> scale{};
// write: nn::Param<f32, Shape<8>> scale{};
// expect: a tensor has its shape in its type
// first-error: nn::Param<f32, Shape<2, 3>> w
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Param<f32, Shape<8>> scale{};
#else
  nn::Param<f32> scale{};
#endif
  constexpr auto operator()(auto x) const { return x * scale; }
};

int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& net, auto x) { return net(x); }, in<f32, 2, 8>);
  static_cast<void>(f);
}
