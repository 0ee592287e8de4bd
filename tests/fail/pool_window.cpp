// expect: pooling takes (N, C, ...) or (C, ...) of floats and a window that fits
// expect: Shape<8, 3, 4, 4>
// first-error: pooling takes (N, C, ...) or (C, ...) of floats and a window that fits
#include "weft/exec/function.hpp"
#include "weft/ops/nn/pool.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  constexpr int window = 4;
#else
  constexpr int window = 5;
#endif
  auto f = compile(
      Cpu{}, [](auto x) { return max_pool2d<window>(x); }, in<f32, 8, 3, 4, 4>);
}
