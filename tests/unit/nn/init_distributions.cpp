#include "reference.hpp"
#include "weft/nn/init.hpp"
#include "weft/nn/linear.hpp"

using namespace nn_test;
namespace init = nn::init;

namespace {

using S = Shape<60, 40, 9>;  // fan_in 360, fan_out 540
using init::Fan;
using init::Nonlinearity;
struct All {
  nn::Param<f32, Shape<300, 200>, init::TruncNormal<>> cut{};
  nn::Param<f32, Shape<300, 200>, init::TruncNormal<1, 50>> small{};
  nn::Param<f32, Shape<300, 200>, init::TruncNormal<3, 1, -1, 2>> aside{};
  nn::Param<f32, S, init::Uniform<-1, 3, 2>> uniform{};
  nn::Param<f32, S, init::KaimingNormalOf<Fan::out>> normal_out{};
  nn::Param<f32, S, init::KaimingUniformOf<Fan::out, Nonlinearity::leaky_relu, 1, 5>> uniform_out{};
  nn::Param<f32, S, init::KaimingNormalOf<Fan::in, Nonlinearity::tanh>> tanh_in{};
  nn::Param<f32, Shape<3, 4>, init::Eye> eye{};
  nn::Param<f32, Shape<2, 3, 3, 4>, init::Dirac> dirac{};
  nn::Linear<6, 5, true, f32, init::Constant<1, 2>, init::Zeros> named{};
};
struct Orthogonals {
  nn::Param<f32, Shape<48, 48>, init::Orthogonal<>> square{};
  nn::Param<f32, Shape<20, 64>, init::Orthogonal<>> wide{};
  nn::Param<f32, Shape<40, 5, 2>, init::Orthogonal<3, 2>> tall{};
  nn::Param<f32, Shape<1, 7>, init::Orthogonal<>> row{};
};

struct Moments {
  double mean = 0, deviation = 0, least = 0, most = 0;
};
template <class View>
Moments moments(const View& view) {
  Moments m{0, 0, 1e9, -1e9};
  const double n = static_cast<double>(View::size());
  for (float v : view) {
    m.mean += v / n, m.deviation += static_cast<double>(v) * v / n;
    m.least = std::fmin(m.least, v), m.most = std::fmax(m.most, v);
  }
  m.deviation = std::sqrt(m.deviation - m.mean * m.mean);
  return m;
}

// The greatest error of a^T a, or a a^T, against gain^2 on the diagonal.
double orthogonality(const float* a, int rows, int columns, double gain) {
  const bool tall = rows > columns;
  const int n = tall ? columns : rows, m = tall ? rows : columns;
  double error = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = i == j ? -gain * gain : 0;
      for (int k = 0; k < m; ++k)
        sum += tall ? static_cast<double>(a[k * columns + i]) * a[k * columns + j]
                    : static_cast<double>(a[i * columns + k]) * a[j * columns + k];
      error = std::fmax(error, std::abs(sum));
    }
  return error;
}

}  // namespace

TEST_CASE("init_distributions: moments and bounds are those of the distributions") {
  Model<All, TestDevice> model(test_device(), 3);
  // of the standard normal distribution cut at 2: variance 1 - 4 phi(2) / (2 Phi(2) - 1)
  const Moments cut = moments(model.get<"cut">());
  CHECK(std::abs(cut.mean) < 0.015);
  CHECK(cut.deviation == doctest::Approx(0.87962566).epsilon(0.01));
  CHECK((cut.least >= -2 && cut.least < -1.98 && cut.most <= 2 && cut.most > 1.98));
  const Moments small = moments(model.get<"small">());
  CHECK(small.deviation == doctest::Approx(0.02).epsilon(0.01));
  CHECK((small.most > 0.07 && small.most < 0.11));
  // scipy.stats.truncnorm(-1 / 3, 2 / 3, scale=3): mean and standard deviation
  const Moments aside = moments(model.get<"aside">());
  CHECK(aside.mean == doctest::Approx(0.459723).epsilon(0.02));
  CHECK(aside.deviation == doctest::Approx(0.851092).epsilon(0.01));
  CHECK((aside.least >= -1 && aside.most <= 2));

  const Moments uniform = moments(model.get<"uniform">());
  CHECK((uniform.least >= -0.5 && uniform.least < -0.49 && uniform.most < 1.5 && uniform.most > 1.49));
  CHECK(moments(model.get<"normal_out">()).deviation == doctest::Approx(std::sqrt(2.0 / 540)).epsilon(0.02));
  CHECK(moments(model.get<"uniform_out">()).deviation ==
        doctest::Approx(std::sqrt(2 / 1.04 / 540)).epsilon(0.02));
  CHECK(moments(model.get<"tanh_in">()).deviation ==
        doctest::Approx(5.0 / 3 / std::sqrt(360.0)).epsilon(0.02));
}

TEST_CASE("init_distributions: identity, Dirac, and the initialisers that a layer is given") {
  Model<All, TestDevice> model(test_device(), 3);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) CHECK(model.get<"eye">()[i * 4 + j] == (i == j ? 1.0f : 0.0f));
  for (int k = 0; k < 2 * 3 * 3 * 4; ++k) {
    const bool one = k / 36 == k / 12 % 3 && k / 4 % 3 == 1 && k % 4 == 2;
    CHECK(model.get<"dirac">()[k] == (one ? 1.0f : 0.0f));
  }
  for (float v : model.get<"named.weight">()) CHECK(v == 0.5f);
  for (float v : model.get<"named.bias">()) CHECK(v == 0.0f);
}

TEST_CASE("init_distributions: orthogonal matrices are orthogonal, square, wide and tall") {
  double trace = 0;
  for (weft::u64 seed = 0; seed < 20; ++seed) {
    Model<Orthogonals, TestDevice> model(test_device(), seed);
    CHECK(orthogonality(model.get<"square">().data(), 48, 48, 1) < 1e-5);
    CHECK(orthogonality(model.get<"wide">().data(), 20, 64, 1) < 1e-5);
    CHECK(orthogonality(model.get<"tall">().data(), 40, 10, 1.5) < 1e-5);
    CHECK(orthogonality(model.get<"row">().data(), 1, 7, 1) < 1e-5);
    for (int i = 0; i < 48; ++i) trace += model.get<"square">()[i * 49];
  }
  // the trace of a uniformly distributed orthogonal matrix has mean 0 and variance 1
  CHECK(std::abs(trace / 20) < 4 / std::sqrt(20.0));
}
