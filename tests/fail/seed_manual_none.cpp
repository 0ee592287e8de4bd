// wrote: manual_seed()
// write: manual_seed(7)
// expect: manual_seed(7)
// first-error: manual_seed takes the number itself
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  manual_seed(7);
#else
  manual_seed();
#endif
}
