// wrote: trainer.model().load(path), with comm::zero<3, comm::Mpi>
// write: trainer.load_model(path)
// expect: Linear<8, 4
// first-error: load changes the model, and this one is const
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/likelihood.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Backend {
  static Shared<comm::Communicator> connect() { return {}; }
};

int main() {
  auto trainer = make_trainer<nn::Linear<8, 4>>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 8>, in<f32, 2, 4>,
      optim::SGD{}, comm::zero<3, Backend>);
#ifdef WEFT_FIXED
  trainer.load_model("model.safetensors");
#else
  trainer.model().load("model.safetensors");
#endif
}
