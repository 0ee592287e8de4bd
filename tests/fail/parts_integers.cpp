// wrote: sum_parts<Parts>(cast<i64>(x))
// write: cast<i64>(sum_parts<Parts>(x))
// expect: long
// first-error: sum_parts, scatter_sum: a sum over ranks is of floats
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
    return cast<i64>(sum_parts<Parts>(x));
#else
    return sum_parts<Parts>(cast<i64>(x));
#endif
  }
};

int main() {
  Model<Net> model(Cpu{}, seed{1});
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 15>);
}
