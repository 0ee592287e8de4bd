#include "weft/exec/checker.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/watched.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("checker: the kernel, what is fused into it, the element, its value, and what it read") {
  auto f = compile(
      Cpu{}, [](auto x) { return exp(log(matmul(x, x))); }, in<f32, 4, 4>, check::finite);
  std::vector<f32> x(16, 1.0f);
  CHECK(said([&] { f(x); }) == "none");
  x[5] = -100;
  const std::string text = said([&] { f(x); });
  CHECK(text ==
        "check/finite: kernel 1, map (4, 4): log, exp: element (0, 1) of its result (4, 4) of f32 is nan");
  x[5] = not_a_number;
  CHECK(said([&] { f(x); }) ==
        "check/finite: kernel 0, dot 4 x 4 x 4: f32 to f32: element (0, 1) of its result (4, 4) of f32 is "
        "nan; it "
        "read nan at (1, 1) of input 0 (4, 4) of f32");
  auto unwatched = compile(
      Cpu{}, [](auto a) { return exp(log(matmul(a, a))); }, in<f32, 4, 4>);
  CHECK(said([&] { unwatched(x); }) == "none");
}

TEST_CASE("checker: an infinity that is meant, or given, is none of its business") {
  auto masked = compile(
      Cpu{},
      [](auto x) {
        return softmax<-1>(matmul(where(x > 0, 1.0f, -std::numeric_limits<f32>::infinity()), abs(x)));
      },
      in<f32, 4, 4>, check::finite);
  std::vector<f32> x{1, 1, 1, 1, 1, 1, -1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  CHECK(has(said([&] { masked(x); }), "nan"));  // a row of -inf alone has no softmax
  auto scale = compile(
      Cpu{}, [](auto v) { return v * 2.0f; }, in<f32, 4>, check::finite);
  CHECK(said([&] { scale(std::vector<f32>{1, -infinity, 2, 3}); }) == "none");
  CHECK(said([&] {
          scale(std::vector<f32>{1, 3e38f, 2, 3});
        }) == "check/finite: kernel 0, map (4,): mul: element (1,) of its result (4,) of f32 is inf");
}

TEST_CASE("checker: every kernel of a step, sums and updates with them") {
  auto trainer = make_trainer<Net>(Cpu{1}, classify, in<f32, 2, 4>, in<i32, 2>, optim::AdamW{.lr = 1e-2f},
                                   seed{1}, check::finite | check::indices);
  auto plain =
      make_trainer<Net>(Cpu{1}, classify, in<f32, 2, 4>, in<i32, 2>, optim::AdamW{.lr = 1e-2f}, seed{1});
  const std::vector<f32> x{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<i32> y{0, 2};
  for (int step = 0; step < 3; ++step) CHECK(trainer.step(x, y).value() == plain.step(x, y).value());
  trainer.model().get<"fc2.bias">()[1] = not_a_number;
  const std::string text = said([&] { trainer.step(x, y); });
  CHECK(has(text, "of fc2.bias (3,) of f32"));
  trainer.model().get<"fc2.bias">()[1] = 0;
  trainer.set_lr(infinity);
  CHECK(has(said([&] { trainer.step(x, y); }), "check/finite"));
}

TEST_CASE("checker: a loss scale's gradients overflow by design") {
  auto trainer = make_trainer<Net>(Cpu{1}, classify, in<f32, 2, 4>, in<i32, 2>, optim::SGD{.lr = 1e-2f},
                                   seed{1}, precision::f16, check::finite);
  const std::vector<f32> large{1e4f, -2e4f, 3e4f, 4e4f, 1, 1, 1, 1};
  CHECK(said([&] { trainer.step(large, std::vector<i32>{0, 2}); }) == "none");
}

TEST_CASE("checker: inside loops") {
  auto f = compile<Reader>(
      Cpu{}, [](const auto& m, auto x) { return sum<>(m(x)); }, in<f32, 6, 2, 4>, check::finite, seed{1});
  std::vector<f32> x(48, 0.5f);
  CHECK(said([&] { f(x); }) == "none");
  x[20] = not_a_number;
  CHECK(has(said([&] { f(x); }), "it read nan at (2, 1, 0) of input 0"));
  x[20] = 0.5f;
  f.model().get<"rnn.weight_hh_l0">()[3] = not_a_number;
  CHECK(has(said([&] { f(x); }), "is nan"));
  auto g = compile(
      Cpu{},
      [](auto h, auto rows) {
        return loop([](const auto& c, const auto& row) { return log(c + row); }, h, rows);
      },
      in<f32, 2>, in<f32, 5, 2>, check::finite);
  std::vector<f32> rows(10, 3.0f);
  CHECK(said([&] { g(std::vector<f32>{1, 1}, rows); }) == "none");
  rows[5] = not_a_number;
  CHECK(has(said([&] {
              g(std::vector<f32>{1, 1}, rows);
            }),
            "it read nan at (1,) of slice 2 of input 1 (2,)"));
  auto backwards = compile(
      Cpu{},
      [](auto h, auto all) {
        return reverse_loop([](const auto& c, const auto& row) { return log(c + row); }, h, all);
      },
      in<f32, 2>, in<f32, 5, 2>, check::finite);
  rows[5] = 3;
  rows[7] = not_a_number;  // slice 3 of 5, the second trip
  CHECK(has(said([&] {
              backwards(std::vector<f32>{1, 1}, rows);
            }),
            "it read nan at (1,) of slice 3 of input 1 (2,)"));
}

TEST_CASE("checker: places that are computed") {
  auto f = compile(
      Cpu{}, [](auto x, auto i) { return gather<1>(x, i * 2); }, in<f32, 2, 4>, in<i64, 2, 2>,
      check::indices);
  const std::vector<f32> x(8, 1.0f);
  CHECK(said([&] {
          f(x, std::vector<i64>{0, 1, 1, 2});
        }) ==
        "check/indices: kernel 1, take_along_axis 2 x 4 x 1: f32: element (1, 1) of its index, the result of "
        "kernel 0, "
        "(2, 2) of "
        "i64, is 4, outside -4 ... 3");
  auto rows = compile(
      Cpu{}, [](auto table, auto i) { return nn::functional::embedding(i + 1, table); }, in<f32, 5, 2>,
      in<i32, 3>, check::indices);
  CHECK(said([&] { rows(std::vector<f32>(10), std::vector<i32>{0, 3, 1}); }) == "none");
  CHECK(has(said([&] { rows(std::vector<f32>(10), std::vector<i32>{0, 4, 1}); }), "is 5, outside 0 ... 4"));
}

TEST_CASE("checker: loaders look at samples") {
  const data::Arrays<f32, i32> rows({{1, 2, not_a_number, 4}, {2}}, {{0, -3}, {}});
  const auto walk = [&](const data::LoaderOptions& options) {
    return said([&] {
      for ([[maybe_unused]] auto& batch : data::loader<1>(rows, options)) {
      }
    });
  };
  CHECK(walk({}) == "none");
  CHECK(walk({.check = check::finite}) == "loader/finite: field 0 of sample 1 is nan at element 0");
  CHECK(walk({.check = check::indices}) == "loader/label: field 1 of sample 1 is -3 at element 0");
  CHECK(has(walk({.check = check::finite | check::indices}), "loader/finite"));
}
