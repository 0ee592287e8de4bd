// expect: the options of var
// expect: KeepDim
// first-error: the options of var
#include "weft/exec/function.hpp"
#include "weft/ops/reduce/reduce.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return var<1>(x, keepdim); }, in<f32, 2, 4>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return var<1>(x, keepdim, keepdim); }, in<f32, 2, 4>);
#endif
  static_cast<void>(f);
}
