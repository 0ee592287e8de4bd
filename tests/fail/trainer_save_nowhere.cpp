// wrote: trainer.save();
// write: trainer.save("run.safetensors");
// expect: Net
// first-error: a file has a path
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x, auto y) { return cross_entropy(net(x), y); }, in<f32, 2, 8>,
      in<i32, 2>, optim::SGD{.lr = 0.1f});
#ifdef WEFT_FIXED
  trainer.save("run.safetensors");
#else
  trainer.save();
#endif
}
