// expect: multi_margin_loss, multilabel_margin_loss: scores are (C) or (N, C); the labels are integers
// expect: float
// first-error: multi_margin_loss, multilabel_margin_loss: scores
#include "weft/exec/function.hpp"
#include "weft/ops/loss/margin.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  constexpr auto labels = in<i64, 4>;
#else
  constexpr auto labels = in<f32, 4>;
#endif
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return multi_margin_loss(x, y); }, in<f32, 4, 10>, labels);
}
