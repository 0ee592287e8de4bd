// wrote: auto adam = optim::amsgrad(optim::SGD{});
// write: auto adam = optim::amsgrad(optim::Adam{});
// expect: SGD
// first-error: amsgrad is of Adam and AdamW: write amsgrad(AdamW{.lr = 1e-3f})
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto adam = optim::amsgrad(optim::Adam{});
#else
  auto adam = optim::amsgrad(optim::SGD{});
#endif
}
