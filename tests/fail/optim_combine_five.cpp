// wrote: optim::combine(a, a, a, a, a)
// write: optim::groups(a, a, optim::AdamW{})
// expect: Rule
// first-error: optim::combine takes at most 4 rules
#include "weft/weft.hpp"
using namespace weft;

int main() {
  const auto a = optim::rule(is_bias, [](auto& o) { o.lr = o.lr * 2; });
#ifdef WEFT_FIXED
  auto o = optim::groups(a, a, optim::AdamW{});
#else
  auto o = optim::groups(optim::combine(a, a, a, a, a), optim::AdamW{});
#endif
}
