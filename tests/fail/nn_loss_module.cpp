// wrote: nn::CrossEntropyLoss criterion;
// write: auto criterion = [](auto x, auto y) { return cross_entropy(x, y); };
// expect: CrossEntropyLoss
// first-error: losses are functions: write cross_entropy(logits, labels)
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto criterion = [](auto x, auto y) { return cross_entropy(x, y); };
#else
  nn::CrossEntropyLoss criterion;
#endif
}
