#include "weft/nn/dropout.hpp"

#include <set>

#include "reference.hpp"

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
