// wrote: vocab_parallel_cross_entropy<Parts>(logits, labels) with labels (4)
// write: labels (2), as the logits' rows
// expect: Shape<4>
// first-error: vocab_parallel_cross_entropy: labels are integers of the logits' shape without its last axis
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
  nn::ColumnParallelLinear<8, 16, Parts> head;
};
#ifdef WEFT_FIXED
constexpr i64 rows = 2;
#else
constexpr i64 rows = 4;
#endif

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return vocab_parallel_cross_entropy<Parts>(m.head(x), y); },
      in<f32, 2, 8>, in<i64, rows>, optim::AdamW{});
}
