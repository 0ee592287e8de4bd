// wrote: nn::ModuleList<nn::Linear<8, 8>, 3> h;
// write: std::array<nn::Linear<8, 8>, 3> h;
// expect: a list of modules is std::array<Block, 3>, whose parameters are named h.0., h.1.
// first-error: a list of modules is std::array<Block, 3>
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  std::array<nn::Linear<8, 8>, 3> h;
#else
  nn::ModuleList<nn::Linear<8, 8>, 3> h;
#endif
  constexpr auto operator()(auto x) const { return h[2](h[1](h[0](x))); }
};

int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& model, auto x) { return model(x); }, in<f32, 4, 8>);
}
