// wrote: schedule::warmup_cosine(1e-3, 0.1 * steps, steps)
// write: schedule::warmup_cosine(1e-3, steps / 10, steps)
// expect: StepsAreWhole<double, double, long
// first-error: the steps of a schedule are whole numbers
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  i64 steps = 1000;
  auto lr = schedule::warmup_cosine(1e-3, steps / 10, steps);
#else
  i64 steps = 1000;
  auto lr = schedule::warmup_cosine(1e-3, 0.1 * steps, steps);
#endif
}
