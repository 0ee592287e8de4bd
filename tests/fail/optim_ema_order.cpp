// wrote: auto averaged = optim::ema(0.99f, optim::Adam{});
// write: auto averaged = optim::ema(optim::Adam{}, 0.99f);
// expect: Adam
// first-error: the optimiser is the first argument: write ema(AdamW{}, 0.999f)
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto averaged = optim::ema(optim::Adam{}, 0.99f);
#else
  auto averaged = optim::ema(0.99f, optim::Adam{});
#endif
}
