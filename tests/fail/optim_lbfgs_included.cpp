// wrote: optim::LBFGS{} with weft.hpp alone
// write: #include <weft/train/lbfgs.hpp>
// expect: Net
// first-error: optim::LBFGS has a trainer of its own, in a header that weft.hpp leaves out
#include "weft/weft.hpp"
#ifdef WEFT_FIXED
#include "weft/train/lbfgs.hpp"
#endif
namespace nn = weft::nn;
using namespace weft;

struct Net {
  nn::Linear<4, 2> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(square(m(x))); }, in<f32, 8, 4>,
      optim::LBFGS{.lr = 0.5f});
  trainer.step(std::vector<float>(32));
}
