// wrote: optim::AdamW(model, 1e-3f)
// write: optim::AdamW{.lr = 1e-3f}
// expect: Net
// first-error: an optimiser is given numbers alone
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  auto o = optim::AdamW{.lr = 1e-3f};
#else
  auto o = optim::AdamW(model, 1e-3f);
#endif
}
