// wrote: make_trainer<Net>(Interpreter{}, ..., comm::ddp<comm::Mpi>)
// write: make_trainer<Net>(Cpu{}, ..., comm::ddp<comm::Mpi>)
// expect: comm::ddp<comm::Mpi>: it connects programs of Cpu{}, and no other device's; GPUs are connected by
// first-error: comm::ddp<comm::Mpi>: it connects programs of Cpu{}
#include "weft/interpreter.hpp"
#include "weft/weft.hpp"
using namespace weft;

struct Backend {
  static Shared<comm::Communicator> connect() { return {}; }
};

int main() {
#ifdef WEFT_FIXED
  const Cpu device;
#else
  const Interpreter device;
#endif
  auto trainer = make_trainer<nn::Linear<8, 4>>(
      device, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
      optim::SGD{}, comm::ddp<Backend>);
}
