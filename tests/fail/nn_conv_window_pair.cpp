// wrote: nn::Conv2d<3, 8, std::pair{3, 1}> n;
// write: nn::Conv2d<3, 8, PerAxis{3, 1}> n;
// expect: pair<int, int>
// first-error: a window, stride, padding or dilation is one number
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::Conv2d<3, 8, PerAxis{3, 1}> n;
#else
  nn::Conv2d<3, 8, std::pair{3, 1}> n;
#endif
  constexpr auto operator()(auto x) const { return n(x); }
};

int main() {
  Model<Net> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 3, 16, 16>);
}
