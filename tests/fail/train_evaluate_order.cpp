// wrote: trainer.evaluate(set, [](const auto& m, auto x, auto y) { return accuracy(m(x), y); });
// write: trainer.evaluate([](const auto& m, auto x, auto y) { return accuracy(m(x), y); }, set);
// expect: data::Arrays<float, long
// first-error: what is evaluated stands before the dataset
// nvcc: what is evaluated stands before the dataset
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };
constexpr auto right = [](const auto& m, auto x, auto y) { return accuracy(m.fc(x), y); };

int main() {
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{});
  data::Arrays<f32, i64> set({std::vector<f32>(80), {8}}, {std::vector<i64>(10), {}});
#ifdef WEFT_FIXED
  auto mean = trainer.evaluate(right, set);
#else
  auto mean = trainer.evaluate(set, right);
#endif
}
