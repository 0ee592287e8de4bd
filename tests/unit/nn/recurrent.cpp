#include "weft/nn/recurrent.hpp"

#include "recurrent_results.hpp"

using namespace nn_test;
using nn::Recurrent;

TEST_CASE("recurrent: RNN agrees with torch.nn.RNN") {
  const auto file = open("recurrent");
  check_module<One<nn::RNN<3, 4>>, Shape<5, 2, 3>, Shape<1, 2, 4>>(file, "rnn");
  check_module<
      One<nn::RNN<
          3, 20,
          Recurrent{
              .num_layers = 2, .bias = false, .batch_first = true, .nonlinearity = nn::Nonlinearity::relu}>>,
      Shape<2, 5, 3>>(file, "rnn_relu");
  check_module<One<nn::RNN<3, 4, Recurrent{.bidirectional = true}>>, Shape<5, 3>, Shape<2, 4>>(
      file, "rnn_unbatched");
}
TEST_CASE("recurrent: LSTM agrees with torch.nn.LSTM") {
  const auto file = open("recurrent");
  check_module<Two<nn::LSTM<3, 4>>, Shape<5, 2, 3>, Shape<2, 1, 2, 4>>(file, "lstm");
  check_module<Two<nn::LSTM<3, 20>>, Shape<6, 2, 3>>(file, "lstm_zero");
  check_module<Two<nn::LSTM<3, 5, Recurrent{.num_layers = 2, .batch_first = true, .bidirectional = true}>>,
               Shape<2, 6, 3>, Shape<2, 4, 2, 5>>(file, "lstm_deep");
  check_module<Two<nn::LSTM<3, 4, Recurrent{.num_layers = 2, .bias = false}>>, Shape<1, 2, 3>,
               Shape<2, 2, 2, 4>>(file, "lstm_no_bias");
  check_module<Two<nn::LSTM<3, 6, Recurrent{.num_layers = 2, .bidirectional = true, .proj_size = 4}>>,
               Shape<4, 2, 3>>(file, "lstm_projected");
}
TEST_CASE("recurrent: GRU agrees with torch.nn.GRU") {
  const auto file = open("recurrent");
  check_module<One<nn::GRU<3, 4>>, Shape<5, 2, 3>, Shape<1, 2, 4>>(file, "gru");
  check_module<One<nn::GRU<3, 20, Recurrent{.num_layers = 2, .batch_first = true, .bidirectional = true}>>,
               Shape<2, 6, 3>, Shape<4, 2, 20>>(file, "gru_deep");
  check_module<One<nn::GRU<3, 4, Recurrent{.bias = false}>>, Shape<5, 3>>(file, "gru_no_bias");
}

TEST_CASE("recurrent: parameters have PyTorch's names, order and start") {
  using Net = nn::LSTM<3, 16, Recurrent{.num_layers = 2, .bidirectional = true, .proj_size = 4}>;
  const char* names[]{
      "weight_ih_l0",         "weight_hh_l0",         "bias_ih_l0",           "bias_hh_l0",
      "weight_hr_l0",         "weight_ih_l0_reverse", "weight_hh_l0_reverse", "bias_ih_l0_reverse",
      "bias_hh_l0_reverse",   "weight_hr_l0_reverse", "weight_ih_l1",         "weight_hh_l1",
      "bias_ih_l1",           "bias_hh_l1",           "weight_hr_l1",         "weight_ih_l1_reverse",
      "weight_hh_l1_reverse", "bias_ih_l1_reverse",   "bias_hh_l1_reverse",   "weight_hr_l1_reverse"};
  const auto& table = nn::state_table<Net>;
  REQUIRE(table.size == 20);
  Model<Net> model;
  for (int i = 0; i < 20; ++i) {
    CHECK(table.row[i].name.view() == names[i]);
    const float* values = reinterpret_cast<const float*>(model.state() + table.row[i].offset);
    double most = 0;
    for (i64 k = 0; k < table.row[i].dims.size(); ++k) most = std::fmax(most, std::abs(values[k]));
    CHECK(most <= 0.25);  // 1 / sqrt(hidden_size)
    CHECK(most >= 0.2);
  }
}

namespace {
struct Dropping {
  nn::RNN<2, 4, Recurrent{.num_layers = 2}> rnn{.dropout = 1.0f};
  constexpr auto operator()(const auto& x) const { return std::get<0>(rnn(x)); }
};
}  // namespace

TEST_CASE("recurrent: dropout works between layers, in training alone") {
  // with everything dropped the second layer sees nothing of x
  const auto spread = [](const float* y) { return std::abs(y[0] - y[4]); };
  auto trainer = make_trainer<Dropping>(
      test_device(),
      [](const auto& m, auto x) { return sum<>(select<0, 0>(select<1, 0>(m(x)) - select<1, 1>(m(x)))); },
      in<f32, 1, 2, 2>, TakeGradient{});
  const std::vector<float> x{1, 2, -3, 0.5f};
  CHECK(trainer.step(x).value() == 0);
  Model<Dropping> fresh;
  auto f = compile(
      fresh, [](const auto& m, auto in) { return m(in); }, in<f32, 1, 2, 2>);
  CHECK(spread(f(x).data()) > 1e-3f);
}
