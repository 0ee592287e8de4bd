// wrote: checkpoint::every_layer
// write: checkpoint::blocks
// expect: every_layer
// first-error: is kept by checkpoint::blocks
// nvcc: every_layer
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{}, checkpoint::none);
#else
  auto trainer =
      make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{}, checkpoint::every_layer);
#endif
}
