// wrote: make_trainer(model, loss, ..., comm::zero<3, comm::Mpi>)
// write: make_trainer(std::move(model), loss, ..., comm::zero<3, comm::Mpi>)
// expect: Linear<8, 4
// first-error: comm::zero<3, Backend>: no rank keeps the whole model, so the trainer takes it over
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/likelihood.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Backend {
  static Shared<comm::Communicator> connect() { return {}; }
};

int main() {
  Model<nn::Linear<8, 4>> model;
#ifdef WEFT_FIXED
  auto trainer = make_trainer(
      std::move(model), [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>,
      in<f32, 2, 4>, optim::SGD{}, comm::zero<3, Backend>);
#else
  auto trainer = make_trainer(
      model, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
      optim::SGD{}, comm::zero<3, Backend>);
#endif
}
