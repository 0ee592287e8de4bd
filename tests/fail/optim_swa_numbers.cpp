// wrote: optim::swa(optim::SGD{}, 100, 10)
// write: optim::swa(optim::SGD{}, {.start = 100, .every = 10})
// expect: SGD
// first-error: the updates that count are named
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
#ifdef WEFT_FIXED
  auto o = optim::swa(optim::SGD{}, {.start = 100, .every = 10});
#else
  auto o = optim::swa(optim::SGD{}, 100, 10);
#endif
}
