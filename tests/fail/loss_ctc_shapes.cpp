// expect: ctc_loss: log_probs are (T, N, C), targets (N, S), input_lengths and target_lengths (N)
// expect: Shape<4, 7, 5>
// first-error: ctc_loss: log_probs are (T, N, C)
#include "weft/exec/function.hpp"
#include "weft/ops/loss/ctc.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  constexpr auto log_probs = in<f32, 7, 4, 5>;
#else
  constexpr auto log_probs = in<f32, 4, 7, 5>;  // the batch first
#endif
  auto f = compile(
      Cpu{}, [](auto x, auto y, auto n, auto m) { return ctc_loss(x, y, n, m); }, log_probs, in<i64, 4, 3>,
      in<i64, 4>, in<i64, 4>);
}
