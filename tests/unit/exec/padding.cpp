#include "weft/exec/padding.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/error_of.hpp"
#include "weft/weft.hpp"

namespace nn = weft::nn;
using namespace weft;

namespace {

struct Net {
  nn::Linear<4, 8> fc;
  nn::Buffer<f32, Shape<8>> total;  // of all samples
  nn::Linear<8, 3> head;
  constexpr auto operator()(auto x) const {
    const auto h = sigmoid(fc(x));
    total.assign(total.latest() + sum<0>(stop_gradient(h)));
    return head(h);
  }
};
struct Normed {
  nn::BatchNorm1d<4> norm;
  nn::Linear<4, 3> head;
  constexpr auto operator()(auto x) const { return head(norm(x)); }
};
// Counts labels, of which padded rows have none.
struct Counting {
  nn::Linear<4, 3> fc;
  nn::Buffer<f32, Shape<>> labels;
  constexpr auto operator()(auto x, auto y) const {
    labels.assign(labels.latest() + sum<>(cast<f32>(y >= 0)));
    return cross_entropy(fc(x), y);
  }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };

auto samples(int n) {
  std::vector<f32> x(static_cast<std::size_t>(n) * 4);
  std::vector<i32> y(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<f32>(i % 13) - 6;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<i32>(i % 3);
  return data::Arrays<f32, i32>({std::move(x), {4}}, {std::move(y), {}});
}
template <class M>
std::string in_training(const auto& dataset, data::Last last) {
  Model<M> model(Cpu{}, 1);
  auto f = compile(model, loss, in<f32, 64, 4>, in<i32, 64>, mode::train);
  return testing::said([&] {
    for (auto& [x, y] : data::loader<64>(dataset, {.last = last})) f(x, y);
  });
}

}  // namespace

TEST_CASE("padding: a function whose buffers would count padded rows takes no padded batch") {
  const auto dataset = samples(80);
  const std::string sentence = "call/padding: the loader pads the last batch, and a buffer that the function";
  CHECK(in_training<Net>(dataset, data::pad_and_mask).starts_with(sentence));
  CHECK(in_training<Normed>(dataset, data::pad_and_mask).starts_with(sentence));
  CHECK(in_training<Net>(dataset, data::drop) == "none");
  CHECK(in_training<Normed>(samples(128), data::pad_and_mask) == "none");
}

TEST_CASE("padding: where labels leave padded rows out of a buffer they may be there") {
  const auto dataset = samples(80);
  Model<Counting> model(Cpu{}, 1);
  auto f = compile(
      model, [](const auto& m, auto x, auto y) { return m(x, y); }, in<f32, 64, 4>, in<i32, 64>);
  for (auto& [x, y] : data::loader<64>(dataset, {.last = data::pad_and_mask})) f(x, y);
  CHECK(model.get<"labels">().item() == 80);
}

TEST_CASE("padding: evaluate says what batch size has none") {
  const auto dataset = samples(203);
  Model<Net> model(Cpu{}, 1);
  const std::string found =
      testing::said([&] { evaluate(model, loss, dataset, in<f32, 64, 4>, in<i32, 64>); });
  CHECK(found.starts_with("evaluate/padding"));
  CHECK(found.find("give a batch size that divides the dataset") != std::string::npos);
  CHECK(model.get<"total">()[0] == 0);
  CHECK(evaluate(model, loss, dataset, in<f32, 7, 4>, in<i32, 7>) > 0);
}
