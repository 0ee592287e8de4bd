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
#ifdef WEFT_FIXED
  const auto sharing = comm::zero<2, Backend>;
#else
  const auto sharing = comm::zero<2>;
#endif
}
