#include "weft/exec/interpreter/node_checks.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/watched.hpp"
#include "weft/interpreter.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("node_checks: the operation, its number, the element, its value, and what it read") {
  auto f = compile(
      Interpreter{}, [](auto x) { return exp(log(matmul(x, x))); }, in<f32, 4, 4>, check::finite);
  std::vector<f32> x(16, 1.0f);
  CHECK(said([&] { f(x); }) == "none");
  x[5] = -100;
  CHECK(said([&] { f(x); }) ==
        "check/finite: node 2, log (4, 4) of f32: element (0, 1) of its result is nan");
  x[5] = not_a_number;
  CHECK(said([&] { f(x); }) ==
        "check/finite: node 1, dot (4, 4) of f32: element (0, 1) of its result is nan; it read nan at (1, 1) "
        "of "
        "input 0 (4, 4) of f32");
  x[5] = 1;
  CHECK(said([&] { f(x); }) == "none");
}

TEST_CASE("node_checks: an infinity that is meant, given or discarded is nobody's fault") {
  auto masked = compile(
      Interpreter{},
      [](auto x) { return softmax<-1>(where(x > 0, x, -std::numeric_limits<f32>::infinity())); },
      in<f32, 2, 2>, check::finite);
  CHECK(said([&] { masked(std::vector<f32>{1, -1, 2, 3}); }) == "none");
  CHECK(has(said([&] { masked(std::vector<f32>{-1, -1, 2, 3}); }), "is nan; it read -inf at (0, 0)"));
  auto scale = compile(
      Interpreter{}, [](auto v) { return v * 2.0f; }, in<f32, 4>, check::finite);
  CHECK(said([&] { scale(std::vector<f32>{1, -infinity, 2, 3}); }) == "none");
  CHECK(has(said([&] {
              scale(std::vector<f32>{1, 3e38f, 2, 3});
            }),
            "mul (4,) of f32: element (1,) of its result is inf"));
  auto guarded = compile(
      Interpreter{}, [](auto v) { return where(v > 0, log(v), 0.0f); }, in<f32, 3>, check::finite);
  CHECK(said([&] { guarded(std::vector<f32>{-1, 0, 1}); }) == "none");
  auto place = compile(
      Interpreter{}, [](auto v) { return argmax<0>(log(v)); }, in<f32, 3>, check::finite);
  CHECK(has(said([&] {
              place(std::vector<f32>{-1, 0, 1});
            }),
            ", log (3,) of f32: element (0,) of its result is nan"));
  // the first of two
  auto twice = compile(
      Interpreter{}, [](auto v) { return sum<>(log(v)) + sum<>(exp(v)); }, in<f32, 2>, check::finite);
  CHECK(has(said([&] { twice(std::vector<f32>{-1, 1000}); }), ", log "));
}

TEST_CASE("node_checks: a step, whose state stays as it was") {
  auto trainer = make_trainer<Net>(Interpreter{}, classify, in<f32, 2, 4>, in<i32, 2>,
                                   optim::AdamW{.lr = 1e-2f}, seed{1}, check::finite, check::indices);
  auto plain = make_trainer<Net>(Interpreter{}, classify, in<f32, 2, 4>, in<i32, 2>,
                                 optim::AdamW{.lr = 1e-2f}, seed{1});
  const std::vector<f32> x{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<i32> y{0, 2};
  for (int step = 0; step < 3; ++step) CHECK(trainer.step(x, y).value() == plain.step(x, y).value());
  trainer.model().get<"fc2.bias">()[1] = not_a_number;
  const std::vector<f32> before = trainer.model().get<"fc1.weight">().to_vector();
  CHECK(has(said([&] { trainer.step(x, y); }), "it read nan at (1,) of fc2.bias (3,) of f32"));
  CHECK(trainer.model().get<"fc1.weight">().to_vector() == before);
  trainer.model().get<"fc2.bias">()[1] = 0;
  trainer.set_lr(infinity);
  CHECK(has(said([&] { trainer.step(x, y); }), "check/finite"));
}

TEST_CASE("node_checks: a loss scale's gradients overflow by design") {
  auto trainer = make_trainer<Net>(Interpreter{}, classify, in<f32, 2, 4>, in<i32, 2>,
                                   optim::SGD{.lr = 1e-2f}, seed{1}, precision::f16, check::finite);
  const std::vector<f32> large{1e4f, -2e4f, 3e4f, 4e4f, 1, 1, 1, 1};
  CHECK(said([&] { trainer.step(large, std::vector<i32>{0, 2}); }) == "none");
}

TEST_CASE("node_checks: inside loops") {
  auto f = compile<Reader>(
      Interpreter{}, [](const auto& m, auto x) { return sum<>(m(x)); }, in<f32, 6, 2, 4>, check::finite,
      seed{1});
  std::vector<f32> x(48, 0.5f);
  CHECK(said([&] { f(x); }) == "none");
  x[20] = not_a_number;
  CHECK(has(said([&] { f(x); }), "it read nan at (2, 1, 0) of input 0"));
  x[20] = 0.5f;
  auto g = compile(
      Interpreter{},
      [](auto h, auto rows) {
        return loop([](const auto& c, const auto& row) { return log(c + row); }, h, rows);
      },
      in<f32, 2>, in<f32, 5, 2>, check::finite);
  std::vector<f32> rows(10, 3.0f);
  CHECK(said([&] { g(std::vector<f32>{1, 1}, rows); }) == "none");
  rows[5] = -100;  // of trip 2
  const std::string text = said([&] { g(std::vector<f32>{1, 1}, rows); });
  CHECK(has(text, "loop, trip 2: node "));
  CHECK(has(text, ", log (2,) of f32: element (1,) of its result is nan"));
}

TEST_CASE("node_checks: places that are computed") {
  auto f = compile(
      Interpreter{}, [](auto x, auto i) { return gather<1>(x, i * 2); }, in<f32, 2, 4>, in<i64, 2, 2>,
      check::indices);
  const std::vector<f32> x(8, 1.0f);
  CHECK(said([&] { f(x, std::vector<i64>{0, 1, 1, 0}); }) == "none");
  const std::string text = said([&] { f(x, std::vector<i64>{0, 1, 3, 0}); });
  CHECK(has(text, "check/indices: node "));
  CHECK(has(text, "take_along_axis (2, 2) of f32: element (1, 0) of its index, the result of node "));
  CHECK(has(text, "(2, 2) of i64, is 6, outside -4 ... 3"));
}
