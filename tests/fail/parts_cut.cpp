// wrote: nn::ColumnParallelLinear<8, 15, Parts> up;
// write: nn::ColumnParallelLinear<8, 16, Parts> up;
// expect: GivenSize<15>
// first-error: tensor parallel layers: the extent that is cut, Out of a ColumnParallelLinear
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

#ifdef WEFT_FIXED
constexpr i64 hidden = 16;
#else
constexpr i64 hidden = 15;
#endif
struct Net {
  nn::ColumnParallelLinear<8, hidden, Parts> up;
  constexpr auto operator()(auto x) const { return up(x); }
};

int main() {
  Model<Net> model(Cpu{}, seed{1});
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 8>);
}
