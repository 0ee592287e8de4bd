// wrote: trainer.load("run.safetensors", {.allow = missing});
// write: trainer.load("run.safetensors");
// expect: LoadOptions
// first-error: a checkpoint is saved and loaded whole
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{});
#ifdef WEFT_FIXED
  trainer.load("run.safetensors");
#else
  trainer.load("run.safetensors", {.allow = missing});
#endif
}
