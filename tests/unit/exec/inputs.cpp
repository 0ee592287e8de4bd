#include "weft/exec/inputs.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <ostream>
#include <type_traits>
#include <vector>

#include "support/error_of.hpp"
#include "weft/weft.hpp"

using namespace weft;
using testing::error_of;
using testing::said;

namespace {

struct Reader {
  nn::Embedding<11, 4> table;
  nn::Linear<4, 3> fc;
  constexpr auto operator()(auto tokens) const { return fc(mean<1>(table(tokens))); }
};
struct Line {
  nn::Linear<3, 1> fc;
  constexpr auto operator()(auto x) const { return squeeze<1>(fc(x)); }
};
struct Three {
  nn::Linear<3, 3> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};
constexpr auto classify = [](const auto& m, auto tokens, auto label) {
  return cross_entropy(m(tokens), label);
};

// Samples (tokens (2), label) and (x (3), target): five of them.
const data::Arrays<i32, i32> texts({{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {2}}, {{0, 1, 2, 0, 1}, {}});
const data::Arrays<f32, f32> points({{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {3}},
                                    {{1, 0, 2, 0, 5}, {}});

}  // namespace

TEST_CASE("inputs: a token or a label outside is an Error that says which") {
  Model<Reader> model(Cpu{}, 1);
  auto f = compile(model, classify, in<i32, 3, 2>, in<i32, 3>);
  std::vector<i32> tokens{1, 2, 3, 4, 5, 10}, label{0, 1, -100};
  const f32 good = f(tokens, label).item();
  CHECK(good > 0);
  tokens[4] = 11;
  CHECK(said([&] { f(tokens, label); }) ==
        "call/index: input 0: element 4 is 11; it is looked up among 11: 0 ... 10");
  tokens[4] = -1;
  CHECK(error_of([&] { f(tokens, label); }) == "call/index");
  tokens[4] = 5;
  label[1] = 3;
  CHECK(said([&] { f(tokens, label); }) ==
        "call/label: input 1: element 1 is 3; a label of 3 classes is one of 0 ... 2, or -100, which is "
        "ignored");
  label[1] = -1;
  CHECK(error_of([&] { f(tokens, label); }) == "call/label");
  label[1] = 1;
  CHECK(f(tokens, label).item() == good);

  auto trainer = make_trainer<Reader>(Cpu{1}, classify, in<i32, 3, 2>, in<i32, 3>, optim::SGD{.lr = 0.1f});
  label[2] = 7;
  CHECK(error_of([&] { trainer.step(tokens, label); }) == "call/label");
  CHECK(trainer.steps() == 0);
}

TEST_CASE("inputs: places along an axis count from the end, too") {
  auto f = compile(
      Cpu{}, [](auto x, auto i) { return gather<1>(x, i); }, in<f32, 2, 4>, in<i64, 2, 2>);
  const std::vector<f32> x{0, 1, 2, 3, 4, 5, 6, 7};
  CHECK(f(x, std::vector<i64>{0, -1, 3, -4}).to_vector() == std::vector<f32>{0, 3, 7, 4});
  CHECK(error_of([&] { f(x, std::vector<i64>{0, 4, 0, 0}); }) == "call/index");
  CHECK(error_of([&] { f(x, std::vector<i64>{0, 0, -5, 0}); }) == "call/index");
  CHECK(error_of([&] { f(x, std::vector<i64>{0, 0, 0, std::numeric_limits<i64>::min()}); }) == "call/index");
}

TEST_CASE("inputs: shapes that are known are compared") {
  auto f = compile(
      Cpu{}, [](auto x) { return sum<>(x); }, in<f32, 2, 3, 8, 8>);
  CHECK(error_of([&] { f(data::Array<f32>({2, 8, 8, 3})); }) == "call/shape");
  CHECK(error_of([&] { f(data::Array<f32>({2, 3, 8, 9})); }) == "call/size");
  CHECK(f(data::Array<f32>({2, 3, 64})).item() == 0.0f);
  CHECK(f(data::Array<f32>({2, 3, 8, 8})).item() == 0.0f);
  CHECK(f(data::Array<f32>({384})).item() == 0.0f);

  static_assert(exec::regroups(make_dims<2, 64>(), make_dims<2, 1, 8, 8>()));
  static_assert(exec::regroups(make_dims<2, 1, 8, 8>(), make_dims<2, 64>()));
  static_assert(exec::regroups(make_dims<4, 1>(), make_dims<4>()));
  static_assert(exec::regroups(make_dims<>(), make_dims<1, 1>()));
  static_assert(exec::regroups(make_dims<0, 3>(), make_dims<0, 5>()));
  static_assert(!exec::regroups(make_dims<2, 8, 8, 3>(), make_dims<2, 3, 8, 8>()));
  static_assert(!exec::regroups(make_dims<3, 2>(), make_dims<2, 3>()));
  static_assert(!exec::regroups(make_dims<4, 4>(), make_dims<2, 8>()));
  static_assert(!exec::regroups(make_dims<4, 4>(), make_dims<4, 5>()));
  static_assert(!exec::argument_fits<Input<f32, Shape<2, 3>>, f32[3][2]>());
  static_assert(exec::argument_fits<Input<f32, Shape<2, 3>>, f32[2][3]>());
  static_assert(exec::argument_fits<Input<f32, Shape<2, 3>>, f32[6]>());
}

TEST_CASE("inputs: padded rows hold labels that do not count, and tokens that there are") {
  auto trainer =
      make_trainer<Reader>(Cpu{1}, classify, in<i32, 4, 2>, in<i32, 4>, optim::SGD{.lr = 0.5f}, seed{1});
  auto alone =
      make_trainer<Reader>(Cpu{1}, classify, in<i32, 1, 2>, in<i32, 1>, optim::SGD{.lr = 0.5f}, seed{1});
  // the last batch has one sample: a step on it is a step on that sample alone
  auto padding = data::loader<4>(texts, {.last = data::pad_and_mask});
  padding.seek({0, 1});
  for (auto& [tokens, label] : padding) {
    CHECK(label[1] == -100);
    CHECK(trainer.step(tokens, label).value() ==
          alone.step(std::vector<i32>{9, 10}, std::vector<i32>{1}).value());
  }
  const auto a = trainer.model().get<"table.weight">().to_vector(),
             b = alone.model().get<"table.weight">().to_vector();
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]));

  // the loader takes the only integers for labels; as tokens they are none
  const data::Arrays<i32, f32> rated({{1, 2, 3, 4, 5, 6}, {2}}, {{1, 0, 2}, {}});
  auto f = compile(
      Model<Reader>(Cpu{}, 1), [](const auto& m, auto tokens, auto) { return m(tokens); }, in<i32, 2, 2>,
      in<f32, 2>);
  for (auto& [tokens, rating] : data::loader<2>(rated, {.last = data::pad_and_mask}))
    for (const f32 v : f(tokens, rating).to_vector()) CHECK(v == v);
}

TEST_CASE("inputs: integers that are computed with are those of the batch, padded or not") {
  const data::Arrays<f32, i32, i64> rows({{1, 2, 3, 4, 5, 6}, {2}}, {{7, 8, 9}, {}}, {{1, 0, 2}, {}});
  const auto function = [](auto x, auto n, auto y) {
    // a confusion matrix by hand
    return std::tuple{bincount<9>(where(y >= 0, 3 * y + argmax<-1>(x), -1)), n + 0, y + 0};
  };
  auto f = compile(Cpu{1}, function, in<f32, 2, 2>, in<i32, 2>, in<i64, 2>);
  std::vector<i64> counts(9);
  for (auto& [x, n, y] : data::loader<2>(rows, {.last = data::pad_and_mask})) {
    const auto [found, number, label] = f(x, n, y);
    for (std::size_t k = 0; k < 9; ++k) counts[k] += found[static_cast<i64>(k)];
    CHECK(label.to_vector() == std::vector<i64>(y.data(), y.data() + 2));
    CHECK(number.to_vector() == std::vector<i32>(n.data(), n.data() + 2));
    const auto [again, number2, label2] =
        f(std::vector<f32>(x.data(), x.data() + 4), std::vector<i32>(n.data(), n.data() + 2),
          std::vector<i64>(y.data(), y.data() + 2));
    CHECK(again.to_vector() == found.to_vector());
  }
  CHECK(counts == std::vector<i64>{0, 1, 0, 0, 1, 0, 0, 1, 0});
  for (auto& batch : data::loader<2>(rows, {.last = data::pad_and_mask, .label_field = 1})) {
    if (batch.valid() == 2) continue;
    auto& [x, n, y] = batch;
    const auto [found, number, label] = f(x, n, y);
    CHECK(number[1] == -100);
    CHECK(label[1] == 0);
  }
}

TEST_CASE("inputs: a loss or a metric of such integers does not count padded rows, or is refused") {
  const data::Arrays<f32, i64> rows({{1, 2, 3, 4, 5, 6, 7, 8, 9}, {3}}, {{1, 0, 2}, {}});
  const auto masked = [](const auto& m, auto x, auto y) {
    const auto miss = m(x) - cast<f32>(y);
    return sum<>(where(y >= 0, miss * miss, 0.0f)) / sum<>(where(y >= 0, 1.0f, 0.0f));
  };
  const auto plain = [](const auto& m, auto x, auto y) { return mse_loss(m(x), cast<f32>(y)); };
  auto trainer =
      make_trainer<Line>(Cpu{1}, masked, in<f32, 2, 3>, in<i64, 2>, optim::SGD{.lr = 0.01f}, seed{1});
  auto alone = make_trainer<Line>(Cpu{1}, plain, in<f32, 1, 3>, in<i64, 1>, optim::SGD{.lr = 0.01f}, seed{1});
  for (auto& batch : data::loader<2>(rows, {.last = data::pad_and_mask})) {
    auto& [x, y] = batch;
    if (batch.valid() == 2) continue;
    CHECK(trainer.step(x, y).value() ==
          doctest::Approx(alone.step(std::vector<f32>{7, 8, 9}, std::vector<i64>{2}).value()));
  }
  const data::Arrays<i64, f32> turned({{1, 0, 2}, {}}, {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {3}});
  for (auto& [y, x] : data::loader<2>(turned, {.last = data::pad_and_mask})) trainer.step(x, y);
  CHECK(trainer.steps() == 3);
  // padded with 0, which counts
  const data::Arrays<f32, i64, i64> named({{1, 2, 3, 4, 5, 6, 7, 8, 9}, {3}}, {{1, 0, 2}, {}},
                                          {{7, 8, 9}, {}});
  CHECK(error_of([&] {
          for (auto& [x, y, id] : data::loader<2>(named, {.last = data::pad_and_mask})) trainer.step(x, y);
        }) == "train/padding");
  for (auto& [x, y, id] : data::loader<2>(named, {.last = data::pad_and_mask, .label_field = 1}))
    trainer.step(x, y);
  auto unmasked =
      make_trainer<Line>(Cpu{1}, plain, in<f32, 2, 3>, in<i64, 2>, optim::SGD{.lr = 0.01f}, seed{1});
  CHECK(error_of([&] {
          for (auto& [x, y] : data::loader<2>(rows, {.last = data::pad_and_mask})) unmasked.step(x, y);
        }) == "train/padding");
  Model<Line> model(Cpu{}, 1);
  const auto by_one = evaluate(model, plain, rows, in<f32, 1, 3>, in<i64, 1>);
  CHECK(evaluate(model, masked, rows, in<f32, 1, 3>, in<i64, 1>) == doctest::Approx(by_one));
  CHECK(evaluate(model, plain, rows, in<f32, 2, 3>, in<i64, 2>) == doctest::Approx(by_one));
  CHECK(evaluate(model, masked, rows, in<f32, 2, 3>, in<i64, 2>) == doctest::Approx(by_one));
  CHECK(evaluate(model, masked, rows, in<f32, 8, 3>, in<i64, 8>) == doctest::Approx(by_one));
}

TEST_CASE("inputs: a mean of losses that are 0 in padded rows is one of the samples, or refused") {
  const data::Arrays<f32, i64> rows({{1, 2, 3, 4, 5, 6, 7, 8, 9}, {3}}, {{1, 0, 2}, {}});
  const auto by_row = [](const auto& m, auto x, auto y) {
    return mean<>(cross_entropy<reduction::none>(m(x), y));
  };
  const auto whole = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };
  Model<Three> model(Cpu{}, 1);
  const auto wanted = evaluate(model, whole, rows, in<f32, 2, 3>, in<i64, 2>);
  CHECK(evaluate(model, by_row, rows, in<f32, 2, 3>, in<i64, 2>) == doctest::Approx(wanted));
  CHECK(evaluate(model, by_row, rows, in<f32, 8, 3>, in<i64, 8>) == doctest::Approx(wanted));
  auto trainer =
      make_trainer<Three>(Cpu{1}, by_row, in<f32, 2, 3>, in<i64, 2>, optim::SGD{.lr = 0.01f}, seed{1});
  CHECK(error_of([&] {
          for (auto& [x, y] : data::loader<2>(rows, {.last = data::pad_and_mask})) trainer.step(x, y);
        }) == "train/padding");
}

TEST_CASE("inputs: a field above 0 in every sample, or a bool, leaves padded rows out of a step") {
  const data::Arrays<f32, f32, i32, bool> rows({{1, 2, 3, 4, 5, 6, 7, 8, 9}, {3}}, {{1, 0, 2}, {}},
                                               {{1, 1, 1}, {}}, {std::vector<bool>(3, true), {}});
  const auto masked = [](const auto& m, auto x, auto y, auto present) {
    const auto counts = cast<f32>(present > 0);
    return sum<>(square(m(x) - y) * counts) / sum<>(counts);
  };
  const auto flagged = [](const auto& m, auto x, auto y, auto keep) {
    return sum<>(where(keep, square(m(x) - y), 0.0f)) / sum<>(cast<f32>(keep));
  };
  const optim::SGD rate{.lr = 0.01f};
  auto a = make_trainer<Line>(Cpu{1}, masked, in<f32, 2, 3>, in<f32, 2>, in<i32, 2>, rate, seed{1});
  auto b = make_trainer<Line>(Cpu{1}, flagged, in<f32, 2, 3>, in<f32, 2>, in<bool, 2>, rate, seed{1});
  auto alone = make_trainer<Line>(
      Cpu{1}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 1, 3>, in<f32, 1>,
      rate, seed{1});
  auto loader = data::loader<2>(rows, {.last = data::pad_and_mask});
  loader.seek({0, 1});
  for (auto& [x, y, present, keep] : loader) {
    CHECK((keep[0] && !keep[1]));
    const auto wanted = doctest::Approx(alone.step(std::vector<f32>{7, 8, 9}, std::vector<f32>{2}).value());
    CHECK(a.step(x, y, present).value() == wanted);
    CHECK(b.step(x, y, keep).value() == wanted);
  }
  const auto weights = alone.model().get<"fc.weight">().to_vector();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    CHECK(a.model().get<"fc.weight">().to_vector()[i] == doctest::Approx(weights[i]));
    CHECK(b.model().get<"fc.weight">().to_vector()[i] == doctest::Approx(weights[i]));
  }
}

TEST_CASE("inputs: a loss that divides by zero in padded rows is refused, whatever masks them") {
  const data::Arrays<f32, i32> rows({{1, 2, 4, 8, 5, 7, 9, 2, 6, 1, 3, 8, 0, 4, 2}, {3}},
                                    {{0, 1, 0, 2, 1}, {}});
  struct Standardised {
    nn::Linear<3, 3> fc{};
  };
  const auto loss_with = [&](auto least) {
    auto trainer = make_trainer<Standardised>(
        Cpu{1},
        [](const auto& m, auto x, auto y) {
          const auto centred = x - mean<1>(x, keepdim);
          return cross_entropy(
              m.fc(centred / (sqrt(mean<1>(square(centred), keepdim)) + 1e-5f * decltype(least)::value)), y);
        },
        in<f32, 2, 3>, in<i32, 2>, optim::SGD{.lr = 0.01f}, seed{1});
    for (auto& [x, y] : data::loader<2>(rows, {.last = data::pad_and_mask})) trainer.step(x, y);
    return trainer.model().template get<"fc.weight">().to_vector()[0];
  };
  CHECK(error_of([&] { loss_with(std::integral_constant<int, 0>{}); }) == "train/padding");
  CHECK(std::isfinite(loss_with(std::integral_constant<int, 1>{})));
}

TEST_CASE("inputs: padded batches whose first axes are one, and labels of 8 bits without a sign") {
  const data::Arrays<f32, i32> tokens({std::vector<f32>(4 * 6, 0.5f), {2, 3}},
                                      {{0, 1, 2, 0, 1, 2, 0, 1}, {2}});
  auto flat = compile(
      Cpu{1}, [](auto x, auto y) { return cross_entropy<reduction::sum>(x, y); }, in<f32, 8, 3>, in<i32, 8>);
  for (auto& [x, y] : data::loader<4>(tokens, {.last = data::pad_and_mask}))
    CHECK(flat(x, y).item() == doctest::Approx(8 * std::log(3.0)));
  const data::Arrays<f32, i32> three({std::vector<f32>(3 * 6, 0.5f), {2, 3}}, {{0, 1, 2, 0, 1, 2}, {2}});
  for (auto& [x, y] : data::loader<4>(three, {.last = data::pad_and_mask})) {
    CHECK(flat(x, y).item() == doctest::Approx(6 * std::log(3.0)));
    auto half = compile(
        Cpu{1}, [](auto a) { return sum<>(a); }, in<f32, 2, 12>);
    CHECK(error_of([&] { half(x); }) == "call/shape");
  }
  const data::Arrays<f32, u8> bytes({{1, 0, 0, 1, 1, 0}, {2}}, {{0, 1, 0}, {}});
  auto small = compile(
      Cpu{1}, [](auto x, auto y) { return cross_entropy(x, y); }, in<f32, 2, 2>, in<u8, 2>);
  int refused = 0;
  for (auto& [x, y] : data::loader<2>(bytes, {.last = data::pad_and_mask}))
    refused += error_of([&] { small(x, y); }) == "call/label" ? 1 : 0;
  CHECK(refused == 1);
}

TEST_CASE("inputs: a buffer that would count padded rows is refused, one that leaves them out is right") {
  struct Seen {
    nn::Linear<3, 3> fc{};
    nn::Buffer<f32, Shape<3>> mean{};
  };
  const data::Arrays<f32, i64> rows({{1, 2, 3, 4, 5, 6, 7, 8, 9}, {3}}, {{1, 0, 2}, {}});
  const auto run = [&](auto assign) {
    auto trainer = make_trainer<Seen>(
        Cpu{1},
        [](const auto& m, auto x, auto y) {
          decltype(assign){}(m, x, y);
          return cross_entropy(m.fc(x), y);
        },
        in<f32, 2, 3>, in<i64, 2>, optim::SGD{.lr = 0.01f}, seed{1});
    for (auto& [x, y] : data::loader<2>(rows, {.last = data::pad_and_mask})) trainer.step(x, y);
    return trainer.model().template get<"mean">().to_vector();
  };
  CHECK(error_of([&] { run([](const auto& m, auto x, auto) { m.mean.assign(mean<0>(x)); }); }) ==
        "train/padding");
  CHECK(run([](const auto& m, auto x, auto) { m.mean.assign(m.mean + sum<0>(x)); }) ==
        std::vector<f32>{12, 15, 18});
  CHECK(run([](const auto& m, auto x, auto y) {
          const auto w = unsqueeze<1>(where(y >= 0, 1.0f, 0.0f));
          m.mean.assign(sum<0>(w * x) / sum<>(w));
        }) == std::vector<f32>{7, 8, 9});
  CHECK(run([](const auto& m, auto, auto) { m.mean.assign(m.mean + 1); }) == std::vector<f32>{2, 2, 2});
}

TEST_CASE("inputs: a step whose loss would count padded rows is refused, from the first batch on") {
  const auto make = [] {
    return make_trainer<Line>(
        Cpu{1}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 2, 3>, in<f32, 2>,
        optim::SGD{.lr = 0.01f}, seed{1});
  };
  auto trainer = make();
  int steps = 0;
  CHECK(error_of([&] {
          for (auto& [x, y] : data::loader<2>(points, {.last = data::pad_and_mask})) {
            trainer.step(x, y);
            ++steps;
          }
        }) == "train/padding");
  CHECK(steps == 0);
  AnyTrainer<Tensor<f32, Shape<2, 3>>, Tensor<f32, Shape<2>>> any = make();
  CHECK(error_of([&] {
          for (auto& [x, y] : data::loader<2>(points, {.last = data::pad_and_mask})) any.step(x, y);
        }) == "train/padding");
  for (auto& [x, y] : data::loader<2>(points)) any.step(x, y);
  CHECK(any.steps() == 2);

  // in an evaluation they count for nothing
  Model<Line> model(Cpu{}, 1);
  const auto error = [](const auto& m, auto x, auto y) {
    return std::tuple{mse_loss(m(x), y), square(m(x) - y), l1_loss(m(x), y)};
  };
  const auto wanted = evaluate(model, error, points, in<f32, 1, 3>, in<f32, 1>);
  CHECK(wanted[0] == doctest::Approx(wanted[1]));
  const auto even = evaluate(model, error, points, in<f32, 5, 3>, in<f32, 5>),
             padded = evaluate(model, error, points, in<f32, 4, 3>, in<f32, 4>),
             wide = evaluate(std::as_const(model), error, points, in<f32, 64, 3>, in<f32, 64>);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(even[k] == doctest::Approx(wanted[k]));
    CHECK(padded[k] == doctest::Approx(wanted[k]));
    CHECK(wide[k] == doctest::Approx(wanted[k]).epsilon(1e-4));
  }
}
