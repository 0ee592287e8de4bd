// wrote: compile(trainer, f, in<f32, 4, 8>)
// write: compile(trainer.model(), f, in<f32, 4, 8>)
// expect: of a trainer compile(trainer.model()
// first-error: compile: it takes a device or a Model, of a trainer
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 16, 8>, in<i32, 16>, optim::AdamW{});
  auto f = compile(
      trainer.model(), [](const auto& m, auto x) { return m(x); }, in<f32, 4, 8>);
#else
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 16, 8>, in<i32, 16>, optim::AdamW{});
  auto f = compile(
      trainer, [](const auto& m, auto x) { return m(x); }, in<f32, 4, 8>);
#endif
}
