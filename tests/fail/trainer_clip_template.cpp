// wrote: clip::norm<1>
// write: clip::norm(1.0f)
// expect: int
// first-error: gradients are clipped by clip::norm(1.0f) or clip::value(0.5f), whose argument is the bound
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{}, clip::norm(1.0f));
#else
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{}, clip::norm<1>);
#endif
}
