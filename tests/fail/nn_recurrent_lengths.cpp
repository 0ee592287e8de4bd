// expect: and then the lengths of the sequences, integers (i32 or i64) of
// expect: float
// first-error: behind the input of a recurrent layer stands its initial state
#include "weft/exec/model.hpp"
#include "weft/nn/recurrent.hpp"
using namespace weft;

struct Net {
  nn::LSTM<4, 8, nn::Recurrent{.batch_first = true}> lstm{};
};

int main() {
#ifdef WEFT_FIXED
  constexpr auto lengths = in<i32, 2>;
#else
  constexpr auto lengths = in<f32, 2>;
#endif
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x, auto n) { return std::get<0>(m.lstm(x, n)); }, in<f32, 2, 5, 4>,
      lengths);
}
