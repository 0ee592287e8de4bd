// expect: Input<float
// first-error: compile: the inputs come before the options
#include "weft/exec/function.hpp"
#include "weft/ops/math/pointwise.hpp"
using namespace weft;

int main() {
  auto twice = [](auto x) { return x * 2; };
#ifdef WEFT_FIXED
  compile(Cpu{}, twice, in<f32, 4>, precision::bf16);
#else
  compile(Cpu{}, twice, precision::bf16, in<f32, 4>);
#endif
}
