// wrote: comm::fsdp<comm::Mpi>
// write: comm::zero<3, comm::Mpi>
// expect: fsdp
// first-error: are shared out over the ranks by comm::zero<3, comm::Mpi>
// nvcc: fsdp
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m.fc(x), y); };

int main() {
#ifdef WEFT_FIXED
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{}, checkpoint::none);
#else
  auto trainer =
      make_trainer<Net>(Cpu{}, loss, in<f32, 4, 8>, in<i64, 4>, optim::AdamW{}, comm::fsdp<comm::Mpi>);
#endif
}
