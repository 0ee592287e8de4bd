// wrote: clip::grad_norm(1.0f)
// write: clip::norm(1.0f)
// expect: float
// first-error: gradients are clipped by clip::norm(1.0f) or clip::value(0.5f)
#include "weft/train/options.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  const auto bound = clip::norm(1.0f);
#else
  const auto bound = clip::grad_norm(1.0f);
#endif
  (void)bound;
}
