// expect: Train
// first-error: compile: a mode is one of a model's layers, and this function has no model
#include "weft/exec/function.hpp"
#include "weft/ops/math/pointwise.hpp"
using namespace weft;

int main() {
  auto twice = [](auto x) { return x * 2; };
#ifdef WEFT_FIXED
  compile(Cpu{}, twice, in<f32, 4>);
#else
  compile(Cpu{}, twice, in<f32, 4>, mode::train);
#endif
}
