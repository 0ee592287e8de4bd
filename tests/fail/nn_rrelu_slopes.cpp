// wrote: nn::RReLU act{.lower = 0.5f, .upper = 0.25f};
// write: nn::RReLU act{.lower = 0.25f, .upper = 0.5f};
// expect: Net
// first-error: the upper slope of RReLU
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::RReLU act{.lower = 0.25f, .upper = 0.5f};
#else
  nn::RReLU act{.lower = 0.5f, .upper = 0.25f};
#endif
  constexpr auto operator()(auto x) const { return act(x); }
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 8>, mode::train);
}
