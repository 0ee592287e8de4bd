// wrote: evaluate(trainer, set);
// write: trainer.evaluate(set);
// expect: Net
// first-error: a trainer evaluates its own model
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{});
  data::Arrays<f32, i64> set({std::vector<f32>(80), {8}}, {std::vector<i64>(10), {}});
#ifdef WEFT_FIXED
  auto mean = trainer.evaluate(set);
#else
  auto mean = evaluate(trainer, set);
#endif
}
