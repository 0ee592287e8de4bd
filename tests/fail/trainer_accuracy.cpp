// wrote: [](const auto& m, auto x, auto y) { return accuracy(m(x), y); }  // as a loss
// write: [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }
// expect: fc.weight
// first-error: take a loss such as cross_entropy
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{});
#else
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return accuracy(m.fc(x), y); }, in<f32, 4, 8>, in<i64, 4>,
      optim::AdamW{});
#endif
}
