// wrote: schedule::sequential(a, b, {10})
// write: schedule::sequential({a, b}, {10})
// expect: Schedule
// first-error: sequential takes its schedules and its milestones in braces:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); }, in<f32, 16, 8>,
      in<i32, 16>,
#ifdef WEFT_FIXED
      optim::AdamW{
          .lr = schedule::sequential({schedule::constant(1e-3, 0.1, 10), schedule::cosine(1e-3, 90)}, {10})});
#else
      optim::AdamW{
          .lr = schedule::sequential(schedule::constant(1e-3, 0.1, 10), schedule::cosine(1e-3, 90), {10})});
#endif
}
