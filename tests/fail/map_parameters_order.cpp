// wrote: nn::map_parameters(m, g, [](auto p, auto dp) { return p - 0.1f * dp; })
// write: nn::map_parameters([](auto p, auto dp) { return p - 0.1f * dp; }, m, g)
// expect: Net
// first-error: nn::map_parameters: the function comes first, then traced models
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model,
      [](const auto& m, auto x) {
        const auto g = grad([](const auto& net, auto in) { return sum<>(net(in)); })(m, x);
        const auto step = [](auto p, auto dp) { return p - 0.1f * dp; };
#ifdef WEFT_FIXED
        return nn::map_parameters(step, m, g)(x);
#else
        return nn::map_parameters(m, g, step)(x);
#endif
      },
      in<f32, 2, 8>);
}
