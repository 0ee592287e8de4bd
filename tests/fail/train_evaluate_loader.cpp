// wrote: auto loss = trainer.evaluate(data::loader<4>(rows));
// write: auto loss = trainer.evaluate(rows);
// expect: Loader<4,
// first-error: evaluate takes a dataset, whose batches it makes itself
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 4> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};

int main() {
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x) { return mean<>(net(x)); }, in<f32, 4, 8>, optim::SGD{.lr = 0.1f});
  data::Arrays<f32> rows({std::vector<f32>(64), {8}});
#ifdef WEFT_FIXED
  auto loss = trainer.evaluate(rows);
#else
  auto loss = trainer.evaluate(data::loader<4>(rows));
#endif
}
