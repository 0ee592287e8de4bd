// wrote: comm::ddp<comm::Mpi, comm::bucket_bytes, comm::Reduction{.by_engine = true, .in_bf16 = true}>
// write: comm::ddp<comm::Mpi, comm::bucket_bytes, comm::Reduction{.in_bf16 = true}>
// expect: Backend
// first-error: comm::Reduction: the engines' own reductions are of f32 and f64
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/likelihood.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Backend {
  static Shared<comm::Communicator> connect() { return {}; }
};

int main() {
#ifdef WEFT_FIXED
  constexpr comm::Reduction how{.in_bf16 = true};
#else
  constexpr comm::Reduction how{.by_engine = true, .in_bf16 = true};
#endif
  auto trainer = make_trainer<nn::Linear<8, 4>>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
      optim::SGD{}, comm::ddp<Backend, comm::bucket_bytes, how>);
}
