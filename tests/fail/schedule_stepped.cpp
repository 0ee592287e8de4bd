// wrote: schedule.step();
// write: optim::AdamW{.lr = schedule}
// expect: Schedule
// first-error: a schedule is the optimiser's rate
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
  auto schedule = schedule::cosine(1e-3, 100);
#ifdef WEFT_FIXED
  optim::AdamW o{.lr = schedule};
#else
  schedule.step();
#endif
}
