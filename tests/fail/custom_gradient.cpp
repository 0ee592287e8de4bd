// expect: custom: a primitive without a gradient is differentiated
// expect: custom_op
// first-error: custom: a primitive without a gradient is differentiated
#include "weft/nn/linear.hpp"
#include "weft/ops/core/custom.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"

template <>
struct weft::custom_op<weft::op_id("twice")> {
  static constexpr const char* name = "twice";
  static void host(weft::CustomTensor<float> y, weft::CustomTensor<const float> x) {
    for (weft::i64 i = 0; i < y.size(); ++i) y[i] = 2 * x[i];
  }
#ifdef WEFT_FIXED
  static constexpr auto gradient(auto g, auto, auto) { return g * 2; }
#endif
};

using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(custom<op_id("twice")>(m.fc(x))); }, in<f32, 4, 8>,
      optim::AdamW{});
  trainer.step(static_cast<const float*>(nullptr));
}
