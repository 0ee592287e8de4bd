// wrote: comm::zero<2>
// write: comm::zero<2, comm::Mpi>
// expect: comm::zero<1, comm::Mpi>
// first-error: the backend is what connects the ranks
#include "weft/weft.hpp"
using namespace weft;

struct Backend {
  static Shared<comm::Communicator> connect() { return {}; }
};

int main() {
  auto trainer = make_trainer<nn::Linear<8, 4>>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
      optim::SGD{},
#ifdef WEFT_FIXED
      comm::zero<2, Backend>
#else
      comm::zero<2>
#endif
  );
}
