// wrote: comm::Reduction{.in_bf16 = true}, with parameters of f64
// write: comm::Reduction{}
// expect: Net
// first-error: comm::Reduction{.in_bf16 = true}: gradients of f64 parameters would lose most of their digits
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/likelihood.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Backend {
  static Shared<comm::Communicator> connect() { return {}; }
};
struct Net {
  nn::Param<f64, Shape<4>> w;
  constexpr auto operator()(auto x) const { return x * w; }
};

int main() {
#ifdef WEFT_FIXED
  constexpr comm::Reduction how;
#else
  constexpr comm::Reduction how{.in_bf16 = true};
#endif
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f64, 2, 4>, in<f64, 2, 4>,
      optim::SGD{}, comm::ddp<Backend, comm::bucket_bytes, how>);
}
