// wrote: comm::zero<1, comm::Mpi>, with nn::ColumnParallelLinear
// write: comm::ddp<comm::Mpi>
// expect: Net
// first-error: make_trainer: with tensor parallel layers take comm::ddp<comm::Mpi> between the groups
#include "weft/comm/tensor_parallel.hpp"
#include "weft/nn/tensor_parallel.hpp"
#include "weft/weft.hpp"
using namespace weft;

struct Backend {
  static Shared<comm::Communicator> connect() { return {}; }
  static Shared<comm::Communicator> connect_group(int) { return {}; }
  static Shared<comm::Communicator> connect_across(int) { return {}; }
};
using Parts = comm::tensor_parallel<2, Backend>;

struct Net {
  nn::ColumnParallelLinear<8, 16, Parts> up;
  nn::RowParallelLinear<16, 4, Parts> down;
  constexpr auto operator()(auto x) const { return down(relu(up(x))); }
};

int main() {
#ifdef WEFT_FIXED
  constexpr auto ranks = comm::ddp<Backend>;
#else
  constexpr auto ranks = comm::zero<1, Backend>;
#endif
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
      optim::AdamW{}, ranks);
}
