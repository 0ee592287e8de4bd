// wrote: take_part<Parts, 1>(x) of x (2, 15)
// write: an axis whose extent the degree divides
// expect: Shape<2, 15>
// first-error: tensor parallel: an axis is cut into as many equal parts as the group has ranks
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
  nn::ColumnParallelLinear<15, 16, Parts> up;
  constexpr auto operator()(auto x) const {
#ifdef WEFT_FIXED
    return take_part<Parts, 0>(x);
#else
    return take_part<Parts, 1>(x);
#endif
  }
};

int main() {
  Model<Net> model(Cpu{}, seed{1});
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 15>);
}
