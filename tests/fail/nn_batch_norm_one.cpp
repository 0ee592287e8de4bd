// wrote: nn::BatchNorm1d<8> n; trained with in<f32, 1, 8>
// write: in<f32, 2, 8>, or nn::LayerNorm<8> n;
// expect: Net
// first-error: one value a channel to learn from
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::LayerNorm<8> n;
#else
  nn::BatchNorm1d<8> n;
#endif
  constexpr auto operator()(auto x) const { return n(x); }
};

int main() {
  auto t = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(m(x)); }, in<f32, 1, 8>, optim::SGD{.lr = 0.1f});
}
