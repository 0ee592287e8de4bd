// wrote: manual_seed(seed{7});
// write: manual_seed(7);
// expect: seed
// first-error: manual_seed takes the number itself
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  manual_seed(7);
#else
  manual_seed(seed{7});
#endif
}
