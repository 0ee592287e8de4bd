// wrote: .lr = schedule::CosineAnnealingLR(0.1, 100)
// write: .lr = schedule::cosine(0.1, 100)
// expect: CosineAnnealingLR
// first-error: schedules have names in small letters and the rate in front:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); }, in<f32, 16, 8>,
      in<i32, 16>,
#ifdef WEFT_FIXED
      optim::AdamW{.lr = schedule::cosine(0.1, 100)});
#else
      optim::AdamW{.lr = schedule::CosineAnnealingLR(0.1, 100)});
#endif
}
