// wrote: auto operator()(auto x) const { nn::Linear<4, 4> head; return head(fc(x)); }
// write: nn::Linear<4, 4> head; auto operator()(auto x) const { return head(fc(x)); }
// expect: Net
// first-error: a layer or parameter that is used is no member of the model
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
#ifdef WEFT_FIXED
  nn::Linear<4, 4> head;
  constexpr auto operator()(auto x) const { return head(fc(x)); }
#else
  constexpr auto operator()(auto x) const {
    nn::Linear<4, 4> head;
    return head(fc(x));
  }
#endif
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x) { return mean<>(net(x)); }, in<f32, 4, 8>, optim::SGD{.lr = 0.1f});
}
