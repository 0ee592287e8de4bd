// expect: custom: the primitive's type(...) does not take operands of these dtypes and shapes
// expect: Shape<5, 3>
// first-error: custom: the primitive's type(...) does not take operands
#include "weft/exec/function.hpp"
#include "weft/ops/core/custom.hpp"

// Only matrices with as many rows as columns.
template <>
struct weft::custom_op<weft::op_id("trace")> {
  static constexpr weft::TensorType type(weft::TensorType x) {
    if (x.dims.rank != 2 || x.dims.extent[0] != x.dims.extent[1]) return {};
    return {x.dtype, weft::Dims{}};
  }
  static void host(weft::CustomTensor<float> y, weft::CustomTensor<const float> x) {
    y[0] = 0;
    for (weft::i64 i = 0; i < x.size(); i += x.dims.extent[0] + 1) y[0] += x[i];
  }
};

using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return custom<op_id("trace")>(x); }, in<f32, 5, 5>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return custom<op_id("trace")>(x); }, in<f32, 5, 3>);
#endif
  static_cast<void>(f);
}
