// expect: the index must be integers
// expect: IndexSelect
// expect: float
// first-error: the index must be integers
#include "weft/exec/function.hpp"
#include "weft/ops/index/gather.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto i) { return index_select<1>(x, cast<i32>(i)); }, in<f32, 4, 8>, in<f32, 5>);
#else
  auto f = compile(
      Cpu{}, [](auto x, auto i) { return index_select<1>(x, i); }, in<f32, 4, 8>, in<f32, 5>);
#endif
  static_cast<void>(f);
}
