// wrote: optim::AdamW opt(model.parameters(), 1e-3f);
// write: make_trainer(model, ..., optim::AdamW{.lr = 1e-3f})
// expect: spelled::parameters
// first-error: one parameter is model.get
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
  constexpr auto operator()(auto x) const { return fc(x); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };

int main() {
  Model<Net> model{Cpu{}, 0};
#ifdef WEFT_FIXED
  auto trainer = make_trainer(model, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{.lr = 1e-3f});
#else
  optim::AdamW opt(model.parameters(), 1e-3f);
#endif
}
