// wrote: comm::ddp<comm::Mpi>  // without its header
// write: #include <weft/mpi.hpp>
// expect: Mpi
// first-error: comm::ddp<Backend>: the backend is what connects the ranks, comm::ddp<comm::Mpi> with
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto trainer = make_trainer<nn::Linear<8, 4>>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
      optim::SGD{},
#ifdef WEFT_FIXED
      comm::none
#else
      comm::ddp<comm::Mpi>
#endif
  );
}
