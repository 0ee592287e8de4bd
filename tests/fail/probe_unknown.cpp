// expect: probes: no value is marked by this name
// expect: hiden
// expect: hidden
// expect: logits
// first-error: probes: no value is marked by this name
// forbid: get_probe: the program keeps no such probe
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc1{};
  nn::Linear<4, 2> fc2{};
  constexpr auto operator()(auto x) const { return probe<"logits">(fc2(probe<"hidden">(fc1(x)))); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(m(x)); }, in<f32, 4, 8>, optim::AdamW{},
#ifdef WEFT_FIXED
      probes<"hidden">);
#else
      probes<"hiden">);
#endif
  static_cast<void>(trainer);
}
