// wrote: make_trainer<Net>(Cpu{}, ..., comm::ddp<comm::Nccl>)
// write: comm::ddp<comm::Mpi>, or on GPUs the world.device() of const comm::Nccl world in place of Cpu{}
// expect: comm::ddp<comm::Nccl>: it connects GPUs, compiled by nvcc: const comm::Nccl world;
// first-error: comm::ddp<comm::Nccl>: it connects GPUs
#include "weft/nccl.hpp"
#include "weft/weft.hpp"
using namespace weft;

struct Backend {
  static Shared<comm::Communicator> connect() { return {}; }
};

int main() {
#ifdef WEFT_FIXED
  constexpr auto ranks = comm::ddp<Backend>;
#else
  constexpr auto ranks = comm::ddp<comm::Nccl>;
#endif
  auto trainer = make_trainer<nn::Linear<8, 4>>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
      optim::SGD{}, ranks);
}
