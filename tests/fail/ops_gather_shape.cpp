// expect: the index does not fit
// expect: Gather
// expect: Shape<5, 2>
// first-error: the index does not fit
#include "weft/exec/function.hpp"
#include "weft/ops/index/gather.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto i) { return gather<0>(x, i); }, in<f32, 4, 8>, in<i64, 5, 2>);
#else
  auto f = compile(
      Cpu{}, [](auto x, auto i) { return gather<1>(x, i); }, in<f32, 4, 8>, in<i64, 5, 2>);
#endif
  static_cast<void>(f);
}
