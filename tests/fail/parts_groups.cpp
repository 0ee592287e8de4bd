// wrote: layers of comm::tensor_parallel<2, ...> and of <4, ...> in one model
// write: one group for all
// expect: Net
// first-error: tensor parallel layers: all of a model are of one group
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
using Others = Parts;
#else
using Others = comm::tensor_parallel<4, Backend>;
#endif
struct Net {
  nn::ColumnParallelLinear<8, 16, Parts> up;
  nn::RowParallelLinear<16, 8, Others> down;
};

int main() {
  Model<Net> model(Cpu{}, seed{1});
  model.save("net.safetensors");
}
