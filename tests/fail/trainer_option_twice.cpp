// expect: make_trainer: the optimiser is given twice
// expect: make_trainer: the precision is given twice
// expect: make_trainer: clipping is given twice
// expect: make_trainer: accumulate<N> is given twice
// expect: make_trainer: the seed is given twice
// expect: make_trainer: the mode is given twice
// expect: make_trainer: the checkpoint policy is given twice
// expect: make_trainer: the communication policy is given twice
// first-error: make_trainer: the optimiser is given twice
#include "weft/nn/linear.hpp"
#include "weft/ops/loss.hpp"
#include "weft/train/trainer.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 3> fc{};
};

template <class... O>
void train_with(const O&... options) {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(m.fc(x)); }, in<f32, 4, 8>, options...);
}

int main() {
#ifdef WEFT_FIXED
  train_with(comm::none, checkpoint::none, mode::train, seed{1}, accumulate<2>, clip::norm(1),
             precision::bf16, optim::SGD{});
#else
  train_with(optim::AdamW{}, optim::SGD{});
  train_with(optim::AdamW{}, precision::f32, precision::bf16);
  train_with(optim::AdamW{}, clip::norm(1), clip::value(1));
  train_with(optim::AdamW{}, accumulate<2>, accumulate<3>);
  train_with(optim::AdamW{}, seed{1}, seed{2});
  train_with(optim::AdamW{}, mode::train, mode::eval);
  train_with(optim::AdamW{}, checkpoint::none, checkpoint::none);
  train_with(optim::AdamW{}, comm::none, comm::none);
#endif
}
