// wrote: trainer.evaluate(x, y);
// write: trainer.evaluate(data::Arrays<f32, i64>({x, {8}}, {y, {}}));
// expect: std::vector
// first-error: evaluate takes a dataset
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{});
  std::vector<f32> x(32);
  std::vector<i64> y(4);
#ifdef WEFT_FIXED
  trainer.evaluate(data::Arrays<f32, i64>({x, {8}}, {y, {}}));
#else
  trainer.evaluate(x, y);
#endif
}
