// wrote: optim::AdamW rule{.lr = schedule::cosine(1e-3)};
// write: optim::AdamW rule{.lr = schedule::cosine(1e-3, 1000)};
// expect: double
// first-error: a schedule takes the rate and then its steps, and is the optimiser
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  optim::AdamW rule{.lr = schedule::cosine(1e-3, 1000)};
#else
  optim::AdamW rule{.lr = schedule::cosine(1e-3)};
#endif
}
