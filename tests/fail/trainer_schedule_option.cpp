// wrote: make_trainer<Net>(..., optim::AdamW{}, schedule::cosine(1e-3, 100))
// write: make_trainer<Net>(..., optim::AdamW{.lr = schedule::cosine(1e-3, 100)})
// expect: Schedule
// first-error: a schedule is the rate of the optimiser
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>,
                                   optim::AdamW{.lr = schedule::cosine(1e-3, 100)});
#else
  auto trainer =
      make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{}, schedule::cosine(1e-3, 100));
#endif
}
