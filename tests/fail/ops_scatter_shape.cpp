// expect: the updates do not fit
// expect: ScatterReduce
// expect: Shape<3, 8>
// first-error: the updates do not fit
#include "weft/exec/function.hpp"
#include "weft/ops/index/scatter.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto i, auto u) { return scatter_add<0>(x, slice<0, 0, 3>(i), u); }, in<f32, 4, 8>,
      in<i64, 5, 8>, in<f32, 3, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x, auto i, auto u) { return scatter_add<0>(x, i, u); }, in<f32, 4, 8>, in<i64, 5, 8>,
      in<f32, 3, 8>);
#endif
  static_cast<void>(f);
}
