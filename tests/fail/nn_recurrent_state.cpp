// expect: the initial state of a recurrent layer is
// expect: Shape<1, 3, 8>
// first-error: the initial state of a recurrent layer is
#include "weft/exec/model.hpp"
#include "weft/nn/recurrent.hpp"
using namespace weft;

struct Net {
  nn::GRU<4, 8> gru{};
};

#ifdef WEFT_FIXED
constexpr i64 batch = 2;
#else
constexpr i64 batch = 3;
#endif

int main() {
  Model<Net> model;
  auto f = compile(
      model, [](const auto& m, auto x, auto h) { return std::get<0>(m.gru(x, h)); }, in<f32, 5, 2, 4>,
      in<f32, 1, batch, 8>);
}
