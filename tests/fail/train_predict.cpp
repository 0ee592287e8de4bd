// wrote: trainer.predict(x)
// write: compile(trainer.model(), in<f32, 4, 8>)(x)
// expect: spelled::predict
// first-error: the program drives a trainer
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
  auto predict = compile(trainer.model(), in<f32, 4, 8>);
  auto y = predict(std::vector<f32>(32));
#else
  auto y = trainer.predict(std::vector<f32>(32));
#endif
}
