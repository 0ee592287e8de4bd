// wrote: auto grouped = optim::groups(optim::AdamW{}, optim::no_decay(is_bias));
// write: auto grouped = optim::groups(optim::no_decay(is_bias), optim::AdamW{});
// expect: AdamW
// first-error: the rules come first and the optimiser last
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto grouped = optim::groups(optim::no_decay(is_bias), optim::AdamW{});
#else
  auto grouped = optim::groups(optim::AdamW{}, optim::no_decay(is_bias));
#endif
}
