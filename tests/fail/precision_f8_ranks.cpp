// expect: precision::f8: ranks would have scales of their own; with comm::ddp take precision::bf16
// first-error: precision::f8: ranks would have scales of their own
#include "weft/weft.hpp"
using namespace weft;

struct Backend {
  static Shared<comm::Communicator> connect() { return {}; }
};
struct Net {
  nn::Linear<8, 8> first, inner, last;
  constexpr auto operator()(auto x) const { return last(inner(first(x))); }
};

int main() {
#ifdef WEFT_FIXED
  constexpr auto policy = precision::bf16;
#else
  constexpr auto policy = precision::f8;
#endif
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 16, 8>, in<f32, 16, 8>,
      optim::AdamW{.lr = 1e-3f}, policy, comm::ddp<Backend>);
}
