// wrote: auto rate = schedule::lambda(0.1, [decay](i64 step) { return 1 / (1 + decay * double(step)); });
// write: auto rate = schedule::lambda(0.1, [](i64 step) { return 1 / (1 + 0.1 * double(step)); });
// expect: lambda
// first-error: schedule::lambda: the function takes the step and captures nothing
#include "weft/weft.hpp"
using namespace weft;

int main() {
  [[maybe_unused]] double decay = 0.1;
#ifdef WEFT_FIXED
  auto rate = schedule::lambda(0.1, [](i64 step) { return 1 / (1 + 0.1 * double(step)); });
#else
  auto rate = schedule::lambda(0.1, [decay](i64 step) { return 1 / (1 + decay * double(step)); });
#endif
}
