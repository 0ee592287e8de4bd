// wrote: optim::rule(is_head, [](auto& o) { return o.lr * 10; })
// write: optim::rule(is_head, [](auto& o) { o.lr = o.lr * 10; })
// expect: SGD
// first-error: the change writes into the optimiser that it is given by reference
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<4, 2> head;
  constexpr auto operator()(auto x) const { return head(x); }
};
constexpr auto loss = [](const auto& m, auto x) { return sum<>(m(x)); };
constexpr auto is_head = [](std::string_view name, const Dims&) { return name.starts_with("head."); };

int main() {
#ifdef WEFT_FIXED
  auto rule = optim::rule(is_head, [](auto& o) { o.lr = o.lr * 10; });
#else
  auto rule = optim::rule(is_head, [](auto& o) { return o.lr * 10; });
#endif
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 8, 4>, optim::groups(rule, optim::SGD{}));
  trainer.step(std::vector<f32>(32));
}
