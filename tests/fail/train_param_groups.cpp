// wrote: for (auto& group : trainer.optimizer.param_groups) group.lr = 0.1f;
// write: trainer.set_lr(0.1f);
// expect: Net
// first-error: the rate is set later
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{});
#ifdef WEFT_FIXED
  trainer.set_lr(0.1f);
#else
  for (auto& group : trainer.optimizer.param_groups) group.lr = 0.1f;
#endif
}
