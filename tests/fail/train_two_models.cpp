// wrote: make_trainer(a, b, loss, in<...>...)
// write: struct Both { A a; B b; };   make_trainer<Both>(Cpu{}, loss, in<...>...)
// expect: Model<Net
// first-error: a trainer is of one model, which may hold several
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<3, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};
struct Both {
  Net a, b;
};

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Both>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(m.a(x) + m.b(x)); }, in<f32, 2, 3>,
      optim::SGD{.lr = 0.1f});
#else
  Model<Net> a, b;
  auto trainer = make_trainer(
      a, b, [](const auto& p, const auto& q, auto x) { return mean<>(p(x) + q(x)); }, in<f32, 2, 3>,
      optim::SGD{.lr = 0.1f});
#endif
}
