// wrote: optim::RMSprop{.centered = true}
// write: optim::RMSpropCentered{}
// expect: spelled::centered
// expect: RMSprop
// first-error: RMSprop with centered=True has a name of its own:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); }, in<f32, 16, 8>,
      in<i32, 16>,
#ifdef WEFT_FIXED
      optim::RMSpropCentered{});
#else
      optim::RMSprop{.centered = true});
#endif
}
