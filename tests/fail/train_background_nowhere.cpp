// wrote: trainer.save_in_background()
// write: trainer.save_in_background("run.safetensors")
// expect: PathIsGiven
// first-error: a file has a path:
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
  auto saving = trainer.save_in_background("run.safetensors");
#else
  auto saving = trainer.save_in_background();
#endif
}
