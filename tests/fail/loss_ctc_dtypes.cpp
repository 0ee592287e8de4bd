// expect: ctc_loss: log_probs must be floats, targets and lengths integers (i32 or i64)
// first-error: ctc_loss: log_probs must be floats
#include "weft/exec/function.hpp"
#include "weft/ops/loss/ctc.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  constexpr auto lengths = in<i64, 4>;
#else
  constexpr auto lengths = in<f32, 4>;
#endif
  auto f = compile(
      Cpu{}, [](auto x, auto y, auto n) { return ctc_loss(x, y, n, n); }, in<f32, 7, 4, 5>, in<i64, 4, 3>,
      lengths);
}
