// wrote: schedule::multistep(0.1, milestones), a vector; one_cycle(0.1, 1000, 0.3)
// write: schedule::multistep(0.1, {30, 60}), one_cycle(0.1, 1000, {.pct_start = 0.3})
// expect: vector
// first-error: a schedule's rate as a function of the step is schedule::lambda
#include "weft/optim.hpp"
using namespace weft;

#include <vector>

int main() {
  const std::vector<i64> milestones{30, 60};
#ifdef WEFT_FIXED
  const auto rate = schedule::multistep(0.1, {30, 60});
#else
  const auto rate = schedule::multistep(0.1, milestones);
#endif
  (void)rate, (void)milestones;
}
