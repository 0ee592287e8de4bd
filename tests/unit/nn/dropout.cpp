#include "weft/nn/dropout.hpp"

#include <set>

#include "reference.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/nn/activation.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace nn_test;

namespace {

struct Drops {
  nn::Param<f32, Shape<64, 16, 8>, nn::init::Ones> x{};
  nn::Buffer<f32, Shape<64, 16, 8>> element{}, channel{}, path{}, again{};
  nn::Dropout drop{.p = 0.25f};
  nn::Dropout2d drop2d{.p = 0.25f};
  nn::DropPath drop_path{.p = 0.25f};

  constexpr auto operator()() const {
    const auto a = drop(x), b = drop2d(x), c = drop_path(x), d = drop(x);
    element.assign(a);
    channel.assign(b);
    path.assign(c);
    again.assign(d);
    return sum<>(a + b + c + d);
  }
};

// The values in blocks of `block` elements, one for each; every element of a block must be the same.
std::vector<float> blocks(const TensorView<f32, Shape<64, 16, 8>, Cpu>& view, i64 block) {
  std::vector<float> out;
  bool same = true;
  for (i64 i = 0; i < view.size(); ++i) {
    if (i % block == 0) out.push_back(view[i]);
    same = same && view[i] == out.back();
  }
  CHECK(same);
  return out;
}
void check_rate(const std::vector<float>& drawn) {
  double zeros = 0;
  bool scaled = true;
  for (float v : drawn) {
    zeros += v == 0 ? 1 : 0;
    scaled = scaled && (v == 0 || v == static_cast<float>(1 / 0.75));
  }
  const double n = static_cast<double>(drawn.size());
  CHECK(scaled);
  CHECK(std::abs(zeros / n - 0.25) < 4 * std::sqrt(0.25 * 0.75 / n));
}

}  // namespace

TEST_CASE(
    "dropout: elements, channels or samples are dropped at the rate given, the mask is the gradient's too") {
  auto trainer = make_trainer<Drops>(
      Cpu{1}, [](const auto& m) { return m(); }, TakeGradient{}, seed{5});
  auto& model = trainer.model();
  trainer.step();
  check_rate(blocks(model.get<"element">(), 1));
  check_rate(blocks(model.get<"channel">(), 8));
  check_rate(blocks(model.get<"path">(), 128));
  CHECK(model.get<"element">().to_vector() != model.get<"again">().to_vector());
  bool equal = true;
  for (i64 i = 0; i < 8192; ++i)
    equal = equal && model.get<"x">()[i] == model.get<"element">()[i] + model.get<"channel">()[i] +
                                                model.get<"path">()[i] + model.get<"again">()[i];
  CHECK(equal);

  const auto first = model.get<"element">().to_vector();
  model.initialize(0);
  trainer.step();
  CHECK(model.get<"element">().to_vector() != first);
}

TEST_CASE("dropout: evaluation changes nothing") {
  Model<Drops> model;
  auto f = compile(model, [](const auto& m) {
    return std::tuple{m.drop(m.x), m.drop2d(m.x), m.drop_path(m.x)};
  });
  const auto [a, b, c] = f();
  for (i64 i = 0; i < 8192; i += 97) CHECK((a[i] == 1 && b[i] == 1 && c[i] == 1));
}

TEST_CASE("dropout: the functions drop elements or channels in every mode, with gradients") {
  auto f = compile(
      Cpu{1},
      [](auto x, auto w) {
        // of sum(drop(x) * w): with respect to x what is kept, with respect to w what comes out
        return std::tuple_cat(
            grad<0, 1>([](auto a, auto b) { return sum<>(nn::functional::dropout2d(a, 0.25f) * b); })(x, w),
            grad<0, 1>([](auto a, auto b) { return sum<>(nn::functional::alpha_dropout(a, 0.25f) * b); })(x,
                                                                                                          w),
            grad<0, 1>([](auto a, auto b) {
              return sum<>(nn::functional::feature_alpha_dropout(a, 0.25f) * b);
            })(x, w),
            std::tuple{nn::functional::dropout1d(x, 0.25f), nn::functional::dropout3d(x, 0.25f)});
      },
      in<f32, 64, 16, 8>, in<f32, 64, 16, 8>);
  const std::vector<float> ones(8192, 1.0f);
  const auto [d_two, two, d_alpha, alpha, d_feature, feature, one, three] = f(ones, ones);
  check_rate(blocks(two, 8));
  check_rate(blocks(one, 8));
  check_rate(blocks(three, 8));
  CHECK(d_two.to_vector() == two.to_vector());
  // what stays of alpha dropout is x a + b, what goes is constant: 1 becomes a + b or b - 1.758... a
  const double s = 1.7580993408473766, a = 1 / std::sqrt((s * s * 0.25 + 1) * 0.75), b = s * a * 0.25;
  const auto check_alpha = [&](const auto& y, const auto& dy, i64 block) {
    std::vector<float> kept;
    bool values = true, slopes = true;
    for (float v : blocks(y, block)) {
      values = values && std::abs(v - (v > 0 ? a + b : b - s * a)) < 1e-6;
      kept.push_back(v > 0 ? static_cast<float>(1 / 0.75) : 0.0f);
    }
    for (i64 i = 0; i < 8192; ++i) slopes = slopes && std::abs(dy[i] - (y[i] > 0 ? a : 0)) < 1e-6;
    CHECK(values);
    CHECK(slopes);
    check_rate(kept);
  };
  check_alpha(alpha, d_alpha, 1);
  check_alpha(feature, d_feature, 8);
}

TEST_CASE("dropout: of run-time tensors, the same values as of a traced function") {
  const auto values = [](const auto& t) {
    std::set<float> found(t.begin(), t.end());
    return std::vector<float>(found.begin(), found.end());
  };
  const Tensor<f32, Shape<64, 16, 8>> x = full<f32, 64, 16, 8>(2);
  const Tensor<f32, Shape<64, 16, 8>> channels = nn::functional::dropout2d(x, 0.25f);
  for (i64 i = 0; i < channels.size(); ++i) CHECK(channels[i] == channels[i / 8 * 8]);
  CHECK(values(channels) == std::vector<float>{0, static_cast<float>(2 / 0.75)});
  auto traced = compile(
      Cpu{1}, [](auto v) { return nn::functional::alpha_dropout(v, 0.25f); }, in<f32, 64, 16, 8>);
  const Tensor<f32, Shape<64, 16, 8>> elements = nn::functional::alpha_dropout(x, 0.25f), same = traced(x);
  const auto found = values(elements), wanted = values(same);
  REQUIRE(found.size() == 2);
  REQUIRE(wanted.size() == 2);
  for (std::size_t k = 0; k < 2; ++k) CHECK(found[k] == doctest::Approx(wanted[k]));
}
