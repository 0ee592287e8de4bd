// expect: an axis that is reduced has extent 0: no element is the greatest or the least
// expect: ReduceOp
// expect: Shape<0, 5>
// first-error: an axis that is reduced has extent 0
#include "weft/exec/function.hpp"
#include "weft/ops/reduce/reduce.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return max<1>(x); }, in<f32, 0, 5>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return max<0>(x); }, in<f32, 0, 5>);
#endif
  static_cast<void>(f);
}
