#include "reference.hpp"
#include "weft/nn/activation.hpp"

using namespace nn_test;

namespace {

constexpr i64 rows = 64, columns = 16, rest = 8;
using S = Shape<rows, columns, rest>;

struct Drops {
  nn::Param<f32, S, nn::init::Normal<>> x{};
  nn::Buffer<f32, S> element{}, channel{}, slope{}, start{};
  nn::AlphaDropout drop{.p = 0.25f};
  nn::FeatureAlphaDropout feature{.p = 0.25f};
  nn::RReLU rrelu{};

  constexpr auto operator()() const {
    const auto a = drop(x), b = feature(x), c = rrelu(x);
    element.assign(a);
    channel.assign(b);
    slope.assign(c);
    start.assign(x.expr());
    return sum<>(a + b + c);
  }
};

// Mean and variance are kept, a quarter has the value that SELU tends to, the rest is scaled.
void check_alpha(const TensorView<f32, S, Cpu>& got, const TensorView<f32, S, Cpu>& x, i64 block) {
  const double alpha = 1.7580993408473766, p = 0.25, a = 1 / std::sqrt((alpha * alpha * p + 1) * (1 - p));
  const double dropped = -alpha * a * (1 - p);
  double mean = 0, square = 0, count = 0;
  bool exact = true, whole = true, last = false;
  for (i64 i = 0; i < S::size; ++i) {
    const bool gone = std::abs(static_cast<double>(got[i]) - dropped) < 1e-6;
    exact = exact && (gone || std::abs(got[i] - (x[i] * a + alpha * a * p)) < 1e-5);
    whole = whole && (i % block == 0 || gone == last);
    last = gone;
    count += gone ? 1 : 0;
    mean += static_cast<double>(got[i]) / S::size, square += static_cast<double>(got[i]) * got[i] / S::size;
  }
  const double n = static_cast<double>(S::size / block);
  CHECK(exact);
  CHECK(whole);
  CHECK(std::abs(count / S::size - p) < 4 * std::sqrt(p * (1 - p) / n));
  CHECK(std::abs(mean) < 8 / std::sqrt(n));
  CHECK(std::abs(square - mean * mean - 1) < 12 / std::sqrt(n));
}

}  // namespace

TEST_CASE("activation_modes: alpha dropout keeps mean and variance, RReLU draws its slopes") {
  auto trainer = make_trainer<Drops>(
      Cpu{1}, [](const auto& m) { return m(); }, TakeGradient{}, seed{5});
  auto& model = trainer.model();
  trainer.step();
  const auto x = model.get<"start">();
  check_alpha(model.get<"element">(), x, 1);
  check_alpha(model.get<"channel">(), x, rest);
  double least = 1, most = 0;
  bool kept = true;
  for (i64 i = 0; i < S::size; ++i) {
    const float y = model.get<"slope">()[i];
    if (x[i] > 0)
      kept = kept && y == x[i];
    else if (x[i] < -1e-3f)
      least = std::fmin(least, y / x[i]), most = std::fmax(most, y / x[i]);
  }
  CHECK(kept);
  CHECK((least >= 0.125 - 1e-6 && least < 0.126 && most <= 1.0 / 3 + 1e-6 && most > 0.332));
}

TEST_CASE("activation_modes: evaluation drops and draws nothing; settings reach the functions") {
  Model<Drops> model;
  auto f = compile(
      model,
      [](const auto& m, auto x) {
        return std::tuple{m.drop(x),
                          m.feature(x),
                          m.rrelu(x),
                          nn::Softshrink{.lambd = 1}(x),
                          nn::Hardshrink{.lambd = 1}(x),
                          nn::Tanhshrink{}(x),
                          nn::Threshold{.threshold = 0.5f, .value = 9}(x),
                          nn::Softmin<0>{}(x),
                          nn::Softmax2d{}(reshape<3, 1, 2>(x)),
                          nn::SwiGLU<>{}(x),
                          nn::GEGLU<0>{}(reshape<6, 1>(x)),
                          nn::ReGLU<>{}(x)};
      },
      in<f32, 3, 2>);
  const float x[6] = {-3, -0.5f, 0.25f, 2, 0.75f, -2};
  const auto [drop, feature, rrelu, soft, hard, tanhs, cut, low, soft2d, swiglu, geglu, reglu] = f(x);
  double low_sum = 0, soft_sum = 0;
  for (int i = 0; i < 6; ++i) {
    CHECK((drop[i] == x[i] && feature[i] == x[i]));
    CHECK(rrelu[i] == doctest::Approx(x[i] > 0 ? x[i] : x[i] * 11.0 / 48));
    CHECK(soft[i] == doctest::Approx(x[i] > 1 ? x[i] - 1 : x[i] < -1 ? x[i] + 1 : 0));
    CHECK(hard[i] == (std::abs(x[i]) > 1 ? x[i] : 0));
    CHECK(tanhs[i] == doctest::Approx(x[i] - std::tanh(x[i])));
    CHECK(cut[i] == (x[i] > 0.5f ? x[i] : 9));
    if (i % 2 == 0) low_sum += std::exp(-x[i]), soft_sum += std::exp(x[i]);
  }
  for (int i = 0; i < 3; ++i) {
    CHECK(low[2 * i] == doctest::Approx(std::exp(-x[2 * i]) / low_sum));
    CHECK(soft2d[2 * i] == doctest::Approx(std::exp(x[2 * i]) / soft_sum));
    const double gate = x[2 * i], value = x[2 * i + 1];
    CHECK(swiglu[i] == doctest::Approx(gate / (1 + std::exp(-gate)) * value));
    CHECK(reglu[i] == doctest::Approx(std::fmax(gate, 0) * value));
    CHECK(geglu[i] == doctest::Approx(0.5 * x[i] * (1 + std::erf(x[i] / std::sqrt(2.0))) * x[i + 3]));
  }
}
