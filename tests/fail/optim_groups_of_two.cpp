// wrote: optim::groups(optim::AdamW{}, optim::SGD{})
// write: optim::groups(optim::no_decay(is_bias), optim::AdamW{})
// expect: AdamW
// first-error: the rules come first and one optimiser last
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto o = optim::groups(optim::no_decay(is_bias), optim::AdamW{});
#else
  auto o = optim::groups(optim::AdamW{}, optim::SGD{});
#endif
}
