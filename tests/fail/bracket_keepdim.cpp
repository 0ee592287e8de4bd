// wrote: mean<-1, true>(x)
// write: mean<-1>(x, keepdim)
// expect: options are words behind the operand
// first-error: options are words behind the operand
#include "weft/exec/function.hpp"
#include "weft/ops.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return mean<-1>(x, keepdim); }, in<f32, 4, 3, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return mean<-1, true>(x); }, in<f32, 4, 3, 8>);
#endif
}
