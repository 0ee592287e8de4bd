// wrote: vmap<0, 0>([](const auto& m, auto x) { return m(x); })(model, x)
// write: vmap<unmapped, 0>([](const auto& m, auto x) { return m(x); })(model, x)
// expect: Net
// first-error: vmap: an axis is named for a model or a number
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
  constexpr auto operator()(auto x) const { return tanh(fc(x)); }
};

int main() {
  Model<Net> model;
  auto f = compile(
      model,
      [](const auto& m, auto x) {
        const auto one = [](const auto& q, auto y) { return q(y); };
#ifdef WEFT_FIXED
        return vmap<unmapped, 0>(one)(m, x);
#else
        return vmap<0, 0>(one)(m, x);
#endif
      },
      in<f32, 4, 8>);
}
