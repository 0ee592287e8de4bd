// wrote: optim::AdamW{}, optim::no_decay(optim::is_vector)
// write: optim::groups(optim::no_decay(optim::is_vector), optim::AdamW{})
// expect: NoDecay
// first-error: what some parameters have of their own goes with the optimiser
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};
constexpr auto loss = [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); };

int main() {
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 16, 8>, in<i32, 16>,
#ifdef WEFT_FIXED
                                   optim::groups(optim::no_decay(optim::is_vector), optim::AdamW{}));
#else
                                   optim::AdamW{}, optim::no_decay(optim::is_vector));
#endif
}
