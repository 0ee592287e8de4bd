// wrote: [](Model<Net>& m, auto x, auto y) { ... }
// write: [](const auto& m, auto x, auto y) { ... }
// expect: Net
// first-error: it takes the model, not the Model of it
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
  constexpr auto operator()(auto x) const { return fc(x); }
};
#ifdef WEFT_FIXED
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };
#else
constexpr auto loss = [](Model<Net>& m, auto x, auto y) { return cross_entropy(m(x), y); };
#endif

int main() { auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{}); }
