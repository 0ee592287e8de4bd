// wrote: trainer.model()->save("net.safetensors")
// write: trainer.model().save("net.safetensors")
// expect: Net
// first-error: a model is no pointer:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); }, in<f32, 16, 8>,
      in<i32, 16>, optim::SGD{.lr = 0.1f});
#ifdef WEFT_FIXED
  trainer.model().save("net.safetensors");
#else
  trainer.model()->save("net.safetensors");
#endif
}
