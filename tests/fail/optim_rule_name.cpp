// wrote: optim::rule("fc", [](auto& o) { o.lr = o.lr * 10; })
// write: optim::rule(is_head, change), is_head a function of name and shape
// expect: PredicateTakes
// first-error: are told by a function of name and shape
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  const auto rule = optim::rule([](std::string_view name, const Dims&) { return name == "fc.weight"; },
                                [](auto& o) { o.lr = o.lr * 10; });
#else
  const auto rule = optim::rule("fc", [](auto& o) { o.lr = o.lr * 10; });
#endif
  const auto optimizer = optim::groups(rule, optim::Adam{});
}
