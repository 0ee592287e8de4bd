// wrote: trainer.step(x, y); float loss = trainer.loss;
// write: float loss = trainer.step(x, y);
// expect: LossIsReturned<Net>
// first-error: the loss is what a step returns
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
  constexpr auto operator()(auto x) const { return fc(x); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };

int main() {
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{});
#ifdef WEFT_FIXED
  std::vector<f32> x(32);
  std::vector<i64> y(4);
  float loss = trainer.step(x, y);
#else
  std::vector<f32> x(32);
  std::vector<i64> y(4);
  trainer.step(x, y);
  float loss = trainer.loss;
#endif
}
