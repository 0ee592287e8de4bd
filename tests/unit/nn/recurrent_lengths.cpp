// Recurrent layers over sequences of run-time lengths: include/weft/nn/recurrent.hpp.
#include "recurrent_results.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace nn_test;
using nn::Recurrent;

namespace {

// Compares module M, of inputs of shapes S and of these lengths, with the tensors called `name`.
template <class M, class... S, class... L>
void check_packed(const io::Safetensors& file, const std::string& name, L... lengths) {
  using P = Probe<M, S...>;
  constexpr i64 batch = sizeof...(L);
  const auto result = [](const auto& p, const auto& n) {
    if constexpr (sizeof...(S) == 1)
      return p.m(p.x0, n);
    else
      return p.m(p.x0, p.x1, n);
  };
  using Y =
      typename decltype(result(std::declval<const P&>(), std::declval<Expr<i32, Shape<batch>>>()))::shape;
  Model<P, TestDevice> model;
  take_state(model, file, name);
  auto forward = compile(model, result, in<i32, batch>);
  const auto y = forward(std::vector<i32>{lengths...});
  const std::string key = name + ".y";
  check_close(y.data(), values(file, key), Y::size, key);
  auto trainer = make_trainer<P>(
      test_device(),
      [](const auto& p, auto n, auto g) {
        if constexpr (sizeof...(S) == 1)
          return sum<>(p.m(p.x0, n) * g);
        else
          return sum<>(p.m(p.x0, p.x1, n) * g);
      },
      in<i64, batch>, Input<f32, Y>{}, TakeGradient{});
  take_state(trainer.model(), file, name);
  trainer.step(std::vector<i64>{lengths...}, values(file, name + ".upstream"));
  check_gradients(trainer.model(), file, name);
}

}  // namespace

TEST_CASE("recurrent: sequences of run-time lengths agree with PyTorch's packed sequences") {
  const auto file = open("recurrent");
  check_packed<One<nn::RNN<3, 4>>, Shape<5, 3, 3>, Shape<1, 3, 4>>(file, "packed_rnn", 5, 2, 4);
  constexpr Recurrent both{.num_layers = 2, .batch_first = true, .bidirectional = true};
  check_packed<One<nn::RNN<3, 4, both>>, Shape<2, 4, 3>>(file, "packed_rnn_first", 1, 4);
  check_packed<Two<nn::LSTM<3, 4>>, Shape<6, 3, 3>, Shape<2, 1, 3, 4>>(file, "packed_lstm", 2, 6, 3);
  check_packed<Two<nn::LSTM<3, 5, both>>, Shape<3, 6, 3>, Shape<2, 4, 3, 5>>(file, "packed_lstm_deep", 4, 1,
                                                                             6);
  check_packed<Two<nn::LSTM<3, 6, Recurrent{.bidirectional = true, .proj_size = 4}>>, Shape<5, 2, 3>>(
      file, "packed_lstm_projected", 4, 3);
  check_packed<One<nn::GRU<3, 4, Recurrent{.bidirectional = true}>>, Shape<5, 3, 3>, Shape<2, 3, 4>>(
      file, "packed_gru", 3, 5, 2);
  check_packed<One<nn::GRU<3, 4, Recurrent{.num_layers = 2, .batch_first = true}>>, Shape<2, 5, 3>>(
      file, "packed_gru_deep", 5, 3);
}

TEST_CASE("recurrent: gradients of sequences of run-time lengths against differences in f64") {
  using M = nn::LSTM<2, 3, Recurrent{.bidirectional = true}, f64>;
  Model<M, TestDevice> model(test_device(), 3);
  auto f = compile(
      model,
      [](const auto& m, auto x, auto lengths) {
        const auto loss = [&](auto z) {
          const auto [y, last] = m(z, lengths);
          return sum<>(y * y) + sum<>(std::get<0>(last) * std::get<1>(last));
        };
        return std::tuple{loss(x), grad(loss)(x)};
      },
      in<f64, 4, 2, 2>, in<i64, 2>);
  std::vector<f64> x(16);
  for (std::size_t k = 0; k < 16; ++k) x[k] = std::sin(static_cast<f64>(3 * k));
  const std::vector<i64> lengths{4, 2};
  check_slopes(x, std::get<1>(f(x, lengths)).to_vector(), [&] { return std::get<0>(f(x, lengths)).item(); });
}

TEST_CASE("recurrent: padding is not read, a length of zero leaves the state, one too great is the whole") {
  using M = nn::GRU<2, 3, Recurrent{.bidirectional = true}>;
  Model<M, TestDevice> model(test_device(), 3);
  auto f = compile(
      model,
      [](const auto& m, auto x, auto h, auto lengths) {
        const auto [y, last] = m(x, h, lengths);
        const auto dx = grad([&](auto z) {
          const auto [out, end] = m(z, h, lengths);
          return sum<>(out) + sum<>(end * end);
        })(x);
        return std::tuple{y, last, dx};
      },
      in<f32, 4, 3, 2>, in<f32, 2, 3, 3>, in<i32, 3>);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> x(24), h(18), clean;
  for (std::size_t k = 0; k < 24; ++k) x[k] = std::sin(static_cast<float>(k));
  for (std::size_t k = 0; k < 18; ++k) h[k] = std::cos(static_cast<float>(k));
  clean = x;
  const std::vector<i32> lengths{2, 0, 9};  // of 4 steps
  for (std::size_t t = 0; t < 4; ++t)
    for (std::size_t k = 0; k < 2; ++k) {
      x[t * 6 + 2 + k] = nan;
      if (t >= 2) x[t * 6 + k] = nan;
    }
  const auto [y0, last0, dx0] = f(clean, h, lengths);
  const std::vector<float> y = y0.to_vector(), last = last0.to_vector(), dx = dx0.to_vector();
  const auto [y1, last1, dx1] = f(x, h, lengths);
  CHECK(y1.to_vector() == y);
  CHECK(last1.to_vector() == last);
  CHECK(dx1.to_vector() == dx);
  for (std::size_t k = 0; k < 3; ++k) {  // the second sequence
    CHECK(last[3 + k] == h[3 + k]);
    CHECK(last[12 + k] == h[12 + k]);
  }
  for (std::size_t k = 0; k < 6; ++k) {
    CHECK(y[6 + k] == 0);            // the second sequence, first step
    CHECK(y[2 * 18 + k] == 0);       // the first one, third step
    CHECK(y[3 * 18 + 12 + k] != 0);  // the third one, last step
  }
}
