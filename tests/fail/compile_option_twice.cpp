// expect: BF16
// first-error: compile: a precision, a mode, seed{}, probes<...>, a check or lend{} is given twice
#include "weft/exec/function.hpp"
#include "weft/ops/math/pointwise.hpp"
using namespace weft;

int main() {
  auto twice = [](auto x) { return x * 2; };
#ifdef WEFT_FIXED
  compile(Cpu{}, twice, in<f32, 4>, precision::bf16);
#else
  compile(Cpu{}, twice, in<f32, 4>, precision::bf16, precision::f32);
#endif
}
