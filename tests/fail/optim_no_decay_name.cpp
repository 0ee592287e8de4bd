// wrote: auto rule = optim::no_decay("bias");
// write: auto rule = optim::no_decay(is_bias);
// expect: char
// first-error: are told by a function of name and shape that captures nothing
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto rule = optim::no_decay(is_bias);
#else
  auto rule = optim::no_decay("bias");
#endif
}
