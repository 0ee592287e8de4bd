// wrote: predict_scaling of a trainer without comm::ddp
// write: comm::ddp<Backend> among the trainer's options
// expect: Net
// first-error: predict_scaling: the trainer is of one rank
#include "weft/train/scaling.hpp"
#include "weft/weft.hpp"
namespace nn = weft::nn;
using namespace weft;

struct Net {
  nn::Linear<4, 2> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};
#ifdef WEFT_FIXED
struct Alone {
  static Shared<comm::Communicator> connect() { return {}; }
};
inline constexpr auto communication = comm::ddp<Alone>;
#else
inline constexpr auto communication = comm::none;
#endif

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x) { return mean<>(square(m(x))); }, in<f32, 8, 4>,
      optim::SGD{.lr = 0.5f}, communication);
  auto points = predict_scaling(trainer, {}, {2, 8});
  return points.size() == 2 ? 0 : 1;
}
