// wrote: auto rule = optim::rule(is_bias, [factor](auto& o) { o.lr = o.lr * factor; });
// write: auto rule = optim::rule(is_bias, [](auto& o) { o.lr = o.lr * 10; });
// expect: lambda
// first-error: optim::rule: the predicate and the change capture nothing: write numbers as constants
#include "weft/weft.hpp"
using namespace weft;

int main() {
  [[maybe_unused]] double factor = 10;
#ifdef WEFT_FIXED
  auto rule = optim::rule(is_bias, [](auto& o) { o.lr = o.lr * 10; });
#else
  auto rule = optim::rule(is_bias, [factor](auto& o) { o.lr = o.lr * factor; });
#endif
}
