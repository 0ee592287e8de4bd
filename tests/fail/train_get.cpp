// wrote: auto w = trainer.get<"fc.weight">();
// write: auto w = trainer.model().get<"fc.weight">();
// expect: Net
// first-error: parameters are the model's: trainer.model().get
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{});
#ifdef WEFT_FIXED
  auto w = trainer.model().get<"fc.weight">();
#else
  auto w = trainer.get<"fc.weight">();
#endif
}
