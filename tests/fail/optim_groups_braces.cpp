// wrote: optim::groups({optim::no_decay(is_bias)}, optim::AdamW{})
// write: optim::groups(optim::no_decay(is_bias), optim::AdamW{})
// expect: AdamW
// first-error: the rules are arguments without braces
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
#ifdef WEFT_FIXED
  auto o = optim::groups(optim::no_decay(is_bias), optim::AdamW{});
#else
  auto o = optim::groups({optim::no_decay(is_bias)}, optim::AdamW{});
#endif
}
