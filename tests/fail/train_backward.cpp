// wrote: loss.backward();
// write: leave it out: step(x, y) is the whole step
// expect: StepLoss
// first-error: the loss of a step is a number, loss.item(): step(x, y) has made the backward pass
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x, auto y) { return cross_entropy(net(x), y); }, in<f32, 4, 8>,
      in<i64, 4>, optim::AdamW{});
  auto loss = trainer.step(std::vector<float>(32), std::vector<i64>(4));
#else
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x, auto y) { return cross_entropy(net(x), y); }, in<f32, 4, 8>,
      in<i64, 4>, optim::AdamW{});
  auto loss = trainer.step(std::vector<float>(32), std::vector<i64>(4));
  loss.backward();
#endif
}
