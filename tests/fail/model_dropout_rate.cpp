// wrote: nn::Dropout drop{.p = 10};
// write: nn::Dropout drop{.p = 0.1f};
// expect: Net
// first-error: dropout: the probability has to lie between 0 and 1: write
#include "weft/weft.hpp"
using namespace weft;

#ifdef WEFT_FIXED
struct Net {
  nn::Dropout drop{.p = 0.1f};
  constexpr auto operator()(auto x) const { return drop(x); }
};
#else
struct Net {
  nn::Dropout drop{.p = 10};
  constexpr auto operator()(auto x) const { return drop(x); }
};
#endif

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>);
}
