// wrote: schedule::lambda([](i64 step) { return 1.0 / double(1 + step); })
// write: schedule::lambda(0.1, [](i64 step) { return 1.0 / double(1 + step); })
// expect: lambda
// first-error: a schedule takes the rate and then its steps
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto rate = schedule::lambda(0.1, [](i64 step) { return 1.0 / static_cast<double>(1 + step); });
#else
  auto rate = schedule::lambda([](i64 step) { return 1.0 / static_cast<double>(1 + step); });
#endif
}
