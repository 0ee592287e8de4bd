// expect: AdaptiveLogSoftmaxWithLoss: the input is (..., in_features), the target (...) of integers
// expect: Shape<8, 64>
// first-error: AdaptiveLogSoftmaxWithLoss: the input is
#include "weft/exec/model.hpp"
#include "weft/nn/adaptive_softmax.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  constexpr auto target = in<i32, 8>;
#else
  constexpr auto target = in<f32, 8>;
#endif
  Model<nn::AdaptiveLogSoftmaxWithLoss<64, 1000, nn::AdaptiveSoftmax{.cutoffs = {10, 100}}>> model;
  auto f = compile(
      model, [](const auto& m, auto x, auto y) { return m(x, y).loss; }, in<f32, 8, 64>, target);
}
