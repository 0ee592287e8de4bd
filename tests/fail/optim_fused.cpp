// wrote: optim::AdamW{.fused = true}, .foreach, .capturable
// write: optim::AdamW{}
// expect: spelled::fused
// expect: AdamW
// first-error: how the update runs is no option
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
      optim::AdamW{});
#else
      optim::AdamW{.fused = true});
#endif
}
