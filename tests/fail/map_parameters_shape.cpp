// wrote: nn::map_parameters([](auto p) { return norm<>(p); }, m)
// write: nn::map_parameters([](auto p) { return p / norm<>(p); }, m)
// expect: Shape<4, 8>
// first-error: nn::map_parameters: the function gives each parameter another value of its own
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4, false> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model,
      [](const auto& m, auto x) {
#ifdef WEFT_FIXED
        return nn::map_parameters([](auto p) { return p / norm<>(p); }, m)(x);
#else
        return nn::map_parameters([](auto p) { return norm<>(p); }, m)(x);
#endif
      },
      in<f32, 2, 8>);
}
