// wrote: trainer.get_probe("hidden")
// write: trainer.get_probe<"hidden">()
// expect: get_probe
// first-error: the name is a template argument
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return cross_entropy(probe<"hidden">(m.fc(x)), y); },
      in<f32, 4, 8>, in<i64, 4>, optim::AdamW{}, probes<"hidden">);
#ifdef WEFT_FIXED
  auto hidden = trainer.get_probe<"hidden">();
#else
  auto hidden = trainer.get_probe("hidden");
#endif
}
