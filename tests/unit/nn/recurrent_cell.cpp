#include "weft/nn/recurrent_cell.hpp"

#include "reference.hpp"
#include "weft/ops/shape/concat.hpp"

using namespace nn_test;

namespace {

template <class A>
constexpr auto flat(const A& a) {
  return reshape<A::size>(a);
}
template <class M>
struct One {
  M rnn{};
  constexpr auto operator()(const auto& x) const { return flat(rnn(x)); }
  constexpr auto operator()(const auto& x, const auto& h) const { return flat(rnn(x, h)); }
};
// A state of two parts, stacked.
struct Two {
  nn::LSTMCell<3, 4> rnn{};
  constexpr auto operator()(const auto& x, const auto& state) const {
    const auto [h, c] = rnn(x, std::tuple{select<0, 0>(state), select<0, 1>(state)});
    return cat<0>(flat(h), flat(c));
  }
};

}  // namespace

TEST_CASE("recurrent_cell: cells agree with torch.nn.RNNCell, LSTMCell, GRUCell") {
  const auto file = open("recurrent");
  check_module<One<nn::RNNCell<3, 4>>, Shape<2, 3>, Shape<2, 4>>(file, "rnn_cell");
  check_module<One<nn::RNNCell<3, 4, true, nn::Nonlinearity::relu>>, Shape<2, 3>>(file, "rnn_cell_relu");
  check_module<Two, Shape<2, 3>, Shape<2, 2, 4>>(file, "lstm_cell");
  check_module<One<nn::GRUCell<3, 4, false>>, Shape<3>, Shape<4>>(file, "gru_cell");
}
