// wrote: comm::ddp<Nccl>
// write: comm::ddp<comm::Nccl> with #include <weft/nccl.hpp>, or comm::ddp<comm::Mpi> on Cpu{}
// expect: comm::ddp<Backend>: the backend is what connects the ranks, comm::ddp<comm::Mpi> with
// first-error: comm::ddp<Backend>: the backend is what connects the ranks
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/likelihood.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Nccl {
#ifdef WEFT_FIXED
  static Shared<comm::Communicator> connect() { return {}; }
#endif
};

int main() {
  auto trainer = make_trainer<nn::Linear<8, 4>>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
      optim::SGD{}, comm::ddp<Nccl>);
}
