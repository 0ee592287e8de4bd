// wrote: mask && other   (of run-time tensors)
// write: mask & other
// expect: LogicIsByElement<
// first-error: && and || join two truth values, not tensors
#include "weft/weft.hpp"
using namespace weft;

int main() {
  const Tensor<bool, Shape<2>> mask{true, false}, other{true, true};
#ifdef WEFT_FIXED
  const Tensor<bool, Shape<2>> both = mask & other;
#else
  const Tensor<bool, Shape<2>> both = mask && other;
#endif
}
