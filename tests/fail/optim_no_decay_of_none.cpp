// wrote: no_decay of name.starts_with("head.")
// write: no_decay of name.starts_with("fc2.")
// expect: holds for no parameter
// first-error: make_trainer: the predicate of an optim::rule or optim::no_decay holds for no parameter
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
                                   optim::groups(optim::no_decay([](std::string_view name, const Dims&) {
                                                   return name.starts_with("fc2.");
                                                 }),
                                                 optim::AdamW{}));
#else
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 16, 8>, in<i32, 16>,
                                   optim::groups(optim::no_decay([](std::string_view name, const Dims&) {
                                                   return name.starts_with("head.");
                                                 }),
                                                 optim::AdamW{}));
#endif
}
