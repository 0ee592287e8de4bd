// wrote: make_trainer(model, Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::SGD{})
// write: make_trainer(model, loss, in<f32, 4, 8>, in<i64, 4>, optim::SGD{})
// expect: leave Cpu{} out
// first-error: a Model lies on a device already
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };

int main() {
  Model<Net> model;
#ifdef WEFT_FIXED
  auto trainer = make_trainer(model, loss, in<f32, 4, 8>, in<i64, 4>, optim::SGD{.lr = 0.1f});
#else
  auto trainer = make_trainer(model, Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::SGD{.lr = 0.1f});
#endif
}
