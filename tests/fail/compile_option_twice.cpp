// expect: compile: a precision, a mode, seed{}, probes<...> or lend{} is given twice
// expect: compile: inputs come before the options, one after another
// expect: compile: a mode is one of a model's layers, and this function has no model
#include "weft/exec/function.hpp"
#include "weft/ops/pointwise.hpp"
using namespace weft;

int main() {
  auto twice = [](auto x) { return x * 2; };
#ifdef WEFT_FIXED
  compile(Cpu{}, twice, in<f32, 4>, precision::bf16);
#else
  compile(Cpu{}, twice, in<f32, 4>, precision::bf16, precision::f32);
  compile(Cpu{}, twice, precision::bf16, in<f32, 4>);
  compile(Cpu{}, twice, in<f32, 4>, mode::train);
#endif
}
