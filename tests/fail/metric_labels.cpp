// expect: a metric of classes takes logits (..., C) or whole predictions (...) first, and whole labels (...)
// expect: Shape<8, 3>
// first-error: a metric of classes takes logits
#include "weft/exec/function.hpp"
#include "weft/ops/loss/metric.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  constexpr auto labels = in<i32, 8>;
#else
  constexpr auto labels = in<i32, 3>;
#endif
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return accuracy(x, y); }, in<f32, 8, 3>, labels);
}
