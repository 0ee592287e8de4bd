// expect: nll_loss: labels must have the log probabilities' shape without its last axis (the classes)
// expect: Shape<8, 5>
// first-error: nll_loss: labels must have
// forbid: cross_entropy:
#include "weft/exec/function.hpp"
#include "weft/ops/loss/likelihood.hpp"
#include "weft/ops/loss/regression.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  constexpr auto labels = in<i64, 8>;
#else
  constexpr auto labels = in<i64, 7>;
#endif
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return nll_loss(x, y); }, in<f32, 8, 5>, labels);
}
