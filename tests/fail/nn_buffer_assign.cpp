// wrote: seen = 0.9f * seen + 0.1f * x;
// write: seen.assign(0.9f * seen + 0.1f * x);
// expect: Shape<8>
// first-error: a buffer is set by assign
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Buffer<f32, Shape<8>> seen;
  constexpr auto operator()(auto x) const {
#ifdef WEFT_FIXED
    seen.assign(0.9f * seen + 0.1f * x);
#else
    seen = 0.9f * seen + 0.1f * x;
#endif
    return x - seen;
  }
};

int main() {
  auto f = compile<Net>(
      Cpu{}, [](const auto& net, auto x) { return net(x); }, in<f32, 8>, mode::train);
}
