// expect: the input of a recurrent cell is
// expect: Shape<5, 2, 4>
// expect: Size<3>
// first-error: the input of a recurrent cell is
#include "weft/exec/model.hpp"
#include "weft/nn/recurrent.hpp"
using namespace weft;

struct Net {
#ifdef WEFT_FIXED
  nn::LSTM<4, 8> lstm{};
#else
  nn::LSTM<3, 8> lstm{};
#endif
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x) { return std::get<0>(m.lstm(x)); }, in<f32, 5, 2, 4>);
}
