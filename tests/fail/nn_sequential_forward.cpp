// wrote: a layer of one's own with forward(x), in a Sequential
// write: constexpr auto operator()(auto x) const
// expect: Scale
// first-error: nn::Sequential: a layer is called by its operator()
#include "weft/weft.hpp"
using namespace weft;

struct Scale {
#ifdef WEFT_FIXED
  constexpr auto operator()(auto x) const { return 2 * x; }
#else
  constexpr auto forward(auto x) const { return 2 * x; }
#endif
};
struct Net {
  nn::Sequential<nn::Linear<8, 4>, Scale> body;
  constexpr auto operator()(auto x) const { return body(x); }
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 5, 8>);
}
