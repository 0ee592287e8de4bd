// expect: compile: after the inputs it takes a precision, mode::train or mode::eval, seed{}
// first-error: compile: after the inputs it takes a precision
#include "weft/exec/function.hpp"
#include "weft/ops/math/pointwise.hpp"
#include "weft/optim/sgd.hpp"
using namespace weft;

int main() {
  auto twice = [](auto x) { return x * 2; };
#ifdef WEFT_FIXED
  compile(Cpu{}, twice, in<f32, 4>, seed{1}, precision::f32);
#else
  compile(Cpu{}, twice, in<f32, 4>, optim::SGD{});
#endif
}
