// wrote: auto other = trainer;
// write: auto other = std::move(trainer);
// expect: Net
// first-error: a trainer is moved, not copied
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{});
#ifdef WEFT_FIXED
  auto other = std::move(trainer);
#else
  auto other = trainer;
#endif
}
