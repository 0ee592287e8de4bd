// wrote: nn::AvgPool2d<2> pool{.stride = 1}
// write: nn::AvgPool2d<2, nn::PoolOptions{.stride = 1}> pool
// expect: spelled::stride
// nvcc: has no field "
// first-error: stride and padding are the layer's template arguments
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::AvgPool2d<2, nn::PoolOptions{.stride = 1}> pool;
#else
  nn::AvgPool2d<2> pool{.stride = 1};
#endif
  constexpr auto operator()(auto x) const { return pool(x); }
};

int main() {
  auto f = compile<Net>(Cpu{}, in<f32, 2, 3, 8, 8>);
  (void)f;
}
