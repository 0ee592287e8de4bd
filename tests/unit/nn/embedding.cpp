#include "weft/nn/embedding.hpp"

#include "../ops/weighted.hpp"
#include "reference.hpp"
#include "support/parity.hpp"

using namespace nn_test;

TEST_CASE("embedding: rows and gradients agree with torch.nn.Embedding, repeated indices added up") {
  const auto file = open("layers");
  using M = nn::Embedding<7, 4>;
  struct P {
    M m{};
  };
  auto trainer = make_trainer<P>(
      test_device(), [](const auto& p, auto index, auto g) { return sum<>(p.m(index) * g); }, in<i32, 3, 5>,
      in<f32, 3, 5, 4>, TakeGradient{});
  take_state(trainer.model(), file, "embedding");
  auto forward = compile(
      trainer.model(), [](const auto& p, auto index) { return p.m(index); }, in<i32, 3, 5>);
  check_close(forward(values<i32>(file, "embedding.x0")).data(), values(file, "embedding.y"), 60,
              "embedding.y");
  trainer.step(values<i32>(file, "embedding.x0"), values(file, "embedding.upstream"));
  check_gradients(trainer.model(), file, "embedding");
}

TEST_CASE("embedding: weights start as a standard normal") {
  Model<nn::Embedding<200, 100>, TestDevice> model(test_device(), 3);
  const auto weight = model.get<"weight">();
  double sum = 0, square = 0, fourth = 0;
  for (float w : weight)
    sum += w, square += static_cast<double>(w) * w, fourth += std::pow(static_cast<double>(w), 4);
  const double n = 20000;
  CHECK(std::abs(sum / n) < 5 / std::sqrt(n));
  CHECK(std::abs(square / n - 1) < 5 * std::sqrt(2 / n));
  CHECK(std::abs(fourth / n - 3) < 5 * std::sqrt(96 / n));
}

TEST_CASE("embedding: bags as sums, means and maxima, with and without padding") {
  namespace fn = nn::functional;
  weft::testing::check_group(
      "embedding_bag",
      [](auto table, auto bags, auto flat, auto starts, auto weights) {
        constexpr auto sum = nn::Bag::sum, mean = nn::Bag::mean, max = nn::Bag::max;
        return std::tuple{
            fn::embedding_bag<sum>(bags, table),
            fn::embedding_bag<mean>(bags, table),
            fn::embedding_bag<max>(bags, table),
            fn::embedding_bag<sum, 2>(bags, table),
            fn::embedding_bag<mean, 2>(bags, table),
            fn::embedding_bag<max, 2>(bags, table),
            fn::weighted_embedding_bag(bags, table, weights),
            fn::embedding_bag<sum>(flat, table, starts),
            fn::embedding_bag<mean>(flat, table, starts),
            fn::embedding_bag<max>(flat, table, starts),
            fn::embedding_bag<mean, 2>(flat, table, starts),
            fn::embedding<2>(bags, table),
            weft::testing::weighted<0>([bags](auto w) { return fn::embedding<2>(bags, w); })(table),
            weft::testing::weighted<0>([bags](auto w) { return fn::embedding_bag<mean, 2>(bags, w); })(table),
            weft::testing::weighted<0>(
                [flat, starts](auto w) { return fn::embedding_bag<mean>(flat, w, starts); })(table)};
      },
      in<f32, 7, 4>, in<i64, 3, 5>, in<i64, 9>, in<i64, 4>, in<f32, 3, 5>);
}

TEST_CASE("embedding: the padding row starts as zeros") {
  Model<nn::EmbeddingBag<5, 3, nn::Bag::sum, f32, 2>, TestDevice> model(test_device(), 3);
  const auto weight = model.get<"weight">();
  for (i64 i = 0; i < 15; ++i) CHECK((weight.data()[i] == 0) == (i / 3 == 2));
  auto f = compile(
      model, [](const auto& m, auto index) { return m(index); }, in<i32, 1, 2>);
  CHECK(f(std::vector<i32>{2, 4})(0, 1) == weight.data()[13]);
}
