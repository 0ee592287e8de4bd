// wrote: make_trainer<Net>(Interpreter{}, ...), with nn::ColumnParallelLinear
// write: make_trainer<Net>(Cpu{}, ...)
// expect: Interpreter
// first-error: tensor parallel layers: they run on Cpu{}, the ranks connected by
#include "weft/comm/tensor_parallel.hpp"
#include "weft/interpreter.hpp"
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
  constexpr auto operator()(auto x) const { return up(x); }
};
#ifdef WEFT_FIXED
using Device = Cpu;
#else
using Device = Interpreter;
#endif

int main() {
  Model<Net, Device> model(Device{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 8>);
}
