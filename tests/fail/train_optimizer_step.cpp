// wrote: trainer.optimizer.step();
// write: trainer.step(x, y);
// expect: Net
// first-error: leave zero_grad() and backward() out
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
  std::vector<f32> x(32);
  std::vector<i64> y(4);
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{});
#ifdef WEFT_FIXED
  trainer.step(x, y);
#else
  trainer.optimizer.step();
#endif
}
