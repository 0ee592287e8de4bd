// expect: custom: the primitive has no static host(...) that takes these tensors
// expect: CustomTensor<double>
// forbid: no matching function
#include "weft/exec/function.hpp"
#include "weft/ops/core/custom.hpp"

template <>
struct weft::custom_op<weft::op_id("twice")> {
  static void host(weft::CustomTensor<float> y, weft::CustomTensor<const float> x) {
    for (weft::i64 i = 0; i < y.size(); ++i) y[i] = 2 * x[i];
  }
};

using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return custom<op_id("twice")>(x); }, in<f32, 5>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return custom<op_id("twice")>(x); }, in<f64, 5>);
#endif
  static_cast<void>(f);
}
