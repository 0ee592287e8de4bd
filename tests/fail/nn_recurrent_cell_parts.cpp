// wrote: cell(x, h, c) // nn::LSTMCell
// write: cell(x, std::tuple{h, c})
// expect: LstmStep
// first-error: the state of a recurrent layer is one argument
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::LSTMCell<8, 16> cell;
  constexpr auto operator()(auto x, auto h, auto c) const {
#ifdef WEFT_FIXED
    auto [next, state] = cell(x, std::tuple{h, c});
#else
    auto [next, state] = cell(x, h, c);
#endif
    return next;
  }
};

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x, auto h, auto c) { return m(x, h, c); }, in<f32, 4, 8>, in<f32, 4, 16>,
      in<f32, 4, 16>);
}
