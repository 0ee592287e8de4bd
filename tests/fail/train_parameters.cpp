// wrote: auto p = trainer.parameters();
// write: auto p = trainer.model().get<"fc1.weight">();
// expect: Net
// first-error: one parameter is model.get<"fc1.weight">(), a tensor; all of them are
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 16> fc1;
  nn::Linear<16, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x, auto y) { return cross_entropy(net(x), y); }, in<f32, 4, 8>,
      in<i64, 4>, optim::AdamW{});
  auto p = trainer.model().get<"fc1.weight">();
#else
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x, auto y) { return cross_entropy(net(x), y); }, in<f32, 4, 8>,
      in<i64, 4>, optim::AdamW{});
  auto p = trainer.parameters();
#endif
}
