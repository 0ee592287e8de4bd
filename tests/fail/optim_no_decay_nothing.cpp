// wrote: no_decay()
// write: no_decay(optim::is_vector)
// expect: told by a function of name and shape
// first-error: the parameters that a rule is for are told by a function
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 16, 8>, in<i32, 16>,
                                   optim::groups(optim::no_decay(optim::is_vector), optim::AdamW{}));
#else
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 16, 8>, in<i32, 16>,
                                   optim::groups(optim::no_decay(), optim::AdamW{}));
#endif
}
