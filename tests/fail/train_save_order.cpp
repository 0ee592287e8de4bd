// wrote: trainer.save(loader, "run.safetensors");
// write: trainer.save("run.safetensors", loader);
// expect: Loader<4,
// first-error: save: the path comes first
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x) { return mean<>(net(x)); }, in<f32, 4, 8>, optim::SGD{.lr = 0.1f});
  data::Arrays<f32, i32> rows({std::vector<f32>(64), {4}}, {std::vector<i32>(16), {}});
  auto loader = data::loader<4>(rows);
#ifdef WEFT_FIXED
  trainer.save("run.safetensors", loader);
#else
  trainer.save(loader, "run.safetensors");
#endif
}
