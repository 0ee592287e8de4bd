// wrote: optim::frozen([](std::string_view name, const Dims&) { return name.starts_with("model.fc1."); })
// write: return name.starts_with("fc1.");
// expect: FrozenAreSome<Net>
// first-error: the predicate of optim::frozen holds for no parameter
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };
#ifdef WEFT_FIXED
constexpr auto of_fc1 = [](std::string_view name, const Dims&) { return name.starts_with("fc1."); };
#else
constexpr auto of_fc1 = [](std::string_view name, const Dims&) { return name.starts_with("model.fc1."); };
#endif

int main() {
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>,
                                   optim::groups(optim::frozen(of_fc1), optim::AdamW{}));
}
