// wrote: schedule::step(1e-3, 0.1, 30)
// write: schedule::step(1e-3, 30, 0.1)
// expect: double, double, int
// first-error: the steps of a schedule are whole numbers
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto lr = schedule::step(1e-3, 30, 0.1);
#else
  auto lr = schedule::step(1e-3, 0.1, 30);
#endif
}
