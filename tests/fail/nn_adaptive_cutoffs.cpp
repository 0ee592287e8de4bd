// expect: AdaptiveLogSoftmaxWithLoss: cutoffs are unique, ascending and between 1 and n_classes - 1
// expect: Size<1000>
// first-error: AdaptiveLogSoftmaxWithLoss: cutoffs are unique
#include "weft/exec/model.hpp"
#include "weft/nn/adaptive_softmax.hpp"
using namespace weft;

#ifdef WEFT_FIXED
constexpr nn::AdaptiveSoftmax options{.cutoffs = {10, 100}};
#else
constexpr nn::AdaptiveSoftmax options{.cutoffs = {10, 100, 1000}};  // the last is n_classes already
#endif

int main() {
  Model<nn::AdaptiveLogSoftmaxWithLoss<64, 1000, options>> model;
  auto f = compile(
      model, [](const auto& m, auto x, auto y) { return m(x, y).loss; }, in<f32, 8, 64>, in<i32, 8>);
}
