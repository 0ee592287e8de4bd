// wrote: .lr = [](i64 step) { return 0.1f; }
// write: .lr = schedule::lambda(0.1, [](i64 step) { return 0.9; })
// expect: lambda
// first-error: a schedule's rate as a function of the step is schedule::lambda
#include "weft/optim.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  optim::SGD sgd{.lr = schedule::lambda(0.1, [](i64 step) { return step > 9 ? 0.1 : 1.0; })};
#else
  optim::SGD sgd{.lr = [](i64 step) { return step > 9 ? 0.01 : 0.1; }};
#endif
  (void)sgd;
}
