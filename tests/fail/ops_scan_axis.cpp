// expect: the axis does not exist
// expect: Scan
// expect: Shape<4, 8>
// first-error: the axis does not exist
#include "weft/exec/function.hpp"
#include "weft/ops/reduce/scan.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return cumsum<1>(x); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return cumsum<2>(x); }, in<f32, 4, 8>);
#endif
  static_cast<void>(f);
}
