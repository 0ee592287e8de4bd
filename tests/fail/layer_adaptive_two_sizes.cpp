// wrote: nn::AdaptiveAvgPool2d<1, 1> pool
// write: nn::AdaptiveAvgPool2d<1> pool
// expect: GivenSize<2>
// first-error: the size of an adaptive pool is one template argument
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::AdaptiveAvgPool2d<PerAxis{1, 1}> pool;
#else
  nn::AdaptiveAvgPool2d<1, 1> pool;
#endif
  constexpr auto operator()(auto x) const { return pool(x); }
};

int main() {
  auto f = compile<Net>(Cpu{}, in<f32, 2, 3, 8, 8>);
  (void)f;
}
