// expect: a mask must have the extents of the axes
// expect: Index
// expect: Shape<4, 8>
// first-error: a mask must have the extents of the axes
#include "weft/exec/function.hpp"
#include "weft/ops/index/index.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto m) { return index(x, every, bounded<3>(m > 0)); }, in<f32, 4, 8>, in<f32, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x, auto m) { return index(x, bounded<3>(m > 0)); }, in<f32, 4, 8>, in<f32, 8>);
#endif
  static_cast<void>(f);
}
