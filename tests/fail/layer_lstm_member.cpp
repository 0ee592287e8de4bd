// wrote: nn::LSTM<8, 4> lstm{.batch_first = true}
// write: nn::LSTM<8, 4, nn::Recurrent{.batch_first = true}> lstm
// expect: spelled::batch_first
// nvcc: has no field "
// first-error: how many layers a recurrent layer has and how its input lies are a template argument:
#include "weft/weft.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::LSTM<8, 4, nn::Recurrent{.batch_first = true}> lstm;
#else
  nn::LSTM<8, 4> lstm{.batch_first = true};
#endif
  constexpr auto operator()(auto x) const { return std::get<0>(lstm(x)); }
};

int main() {
  Model<Net> model;
  auto f = compile(model, in<f32, 2, 5, 8>);
  (void)f;
}
