// wrote: optim::rule(is_bias, 0.1f)
// write: optim::rule(is_bias, [](auto& o) { o.lr = o.lr * 0.1; })
// expect: float
// first-error: the change is a function of the optimiser
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
#ifdef WEFT_FIXED
  auto o = optim::groups(optim::rule(is_bias, [](auto& o) { o.lr = o.lr * 0.1; }), optim::AdamW{});
#else
  auto o = optim::groups(optim::rule(is_bias, 0.1f), optim::AdamW{});
#endif
}
