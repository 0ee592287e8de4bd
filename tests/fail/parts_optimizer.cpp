// wrote: optim::Muon{}, with nn::ColumnParallelLinear
// write: optim::AdamW{}
// expect: Muon
// first-error: make_trainer: ranks have parts of the model's parameters, and this optimiser works on whole
// tensors
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
  constexpr optim::AdamW optimizer{};
#else
  constexpr optim::Muon optimizer{};
#endif
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
      optimizer);
}
