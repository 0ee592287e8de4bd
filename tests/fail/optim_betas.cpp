// wrote: optim::AdamW rule{.betas = (0.9f, 0.99f)};
// write: optim::AdamW rule{.betas = {0.9f, 0.99f}};
// expect: float
// first-error: betas are two numbers in braces
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  optim::AdamW rule{.betas = {0.9f, 0.99f}};
#else
  optim::AdamW rule{.betas = (0.9f, 0.99f)};
#endif
}
