#include "weft/ops/loss/ctc.hpp"

#include "support/gradcheck.hpp"
#include "support/parity.hpp"
#include "unit/ops/weighted.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/nn/activation.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

constexpr auto none = reduction::none, total = reduction::sum;
constexpr double inf = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("ctc_loss: as PyTorch, behind a log_softmax") {
  check_group(
      "losses/ctc",
      [](auto x, auto y, auto steps, auto counts, auto enough) {
        const auto all = [](auto z) { return log_softmax<-1>(z); };
        return std::tuple_cat(
            both([&](auto z) { return ctc_loss(all(z), y, steps, enough); }, x),
            both([&](auto z) { return ctc_loss<total>(all(z), y, steps, enough); }, x),
            both([&](auto z) { return ctc_loss<none>(all(z), y, steps, enough); }, x),
            both([&](auto z) { return ctc_loss(all(z), y, steps, counts, {.zero_infinity = true}); }, x),
            both([&](auto z) { return ctc_loss<none>(all(z), y, steps, counts, {.zero_infinity = true}); },
                 x),
            both([&](auto z) { return ctc_loss<none>(all(z), clamp(y, 0, 3), steps, enough, {.blank = 4}); },
                 x));
      },
      in<f32, 7, 4, 5>, in<i64, 4, 3>, in<i64, 4>, in<i64, 4>, in<i64, 4>);
  check_group(
      "losses/ctc_one",
      [](auto x, auto y, auto steps, auto counts) {
        return std::tuple_cat(
            both([&](auto z) { return ctc_loss(log_softmax<-1>(z), y, steps, counts); }, x),
            both([&](auto z) { return ctc_loss<none>(log_softmax<-1>(z), y, steps, counts); }, x));
      },
      in<f32, 7, 5>, in<i64, 3>, in<i64>, in<i64>);
}

TEST_CASE("ctc_loss: probabilities of zero and sequences too short give no NaN") {
  check_group(
      "losses/ctc_never",
      [](auto x, auto y, auto steps, auto counts) { return ctc_loss<none>(x, y, steps, counts); },
      in<f32, 5, 2, 4>, in<i64, 2, 2>, in<i64, 2>, in<i64, 2>);
  // the first never says 1 at its first step, the second has two labels and one step
  auto f = compile(
      test_device(),
      [](auto x, auto y, auto steps, auto counts) {
        const auto loss = [&](auto z) { return ctc_loss<none>(z, y, steps, counts); };
        const auto spared = [&](auto z) {
          return ctc_loss<total>(z, y, steps, counts, {.zero_infinity = true});
        };
        return std::tuple{loss(x), grad([&](auto z) { return sum(loss(z)); })(x), spared(x), grad(spared)(x)};
      },
      in<f32, 3, 2, 3>, in<i32, 2, 2>, in<i32, 2>, in<i64, 2>);
  std::vector<float> x(18, -1.0f);
  x[1] = static_cast<float>(-inf);
  const auto [loss, gradient, spared, spared_gradient] =
      f(x, std::vector<i32>{1, 2, 1, 2}, std::vector<i32>{3, 1}, std::vector<i64>{2, 2});
  CHECK(loss[0] == doctest::Approx(3));  // of the five alignments, blank 1 2 alone is left
  CHECK(loss[1] == std::numeric_limits<float>::infinity());
  CHECK(spared.item() == loss[0]);
  for (i64 k = 0; k < 18; ++k) {
    CAPTURE(k);
    CHECK(std::isfinite(gradient.data()[k]));
    CHECK(gradient.data()[k] == spared_gradient.data()[k]);
    if (k % 6 >= 3) CHECK(gradient.data()[k] == 0);
  }
}

TEST_CASE("ctc_loss: lengths that cannot be give NaN, no targets is what blanks cost") {
  auto f = compile(
      test_device(),
      [](auto x, auto y, auto steps, auto counts) {
        return std::tuple{ctc_loss<none>(x, y, steps, counts, {.zero_infinity = true}),
                          ctc_loss<none>(x, zeros<i64, 4, 0>(), full<i64, 4>(3), zeros<i64, 4>())};
      },
      in<f64, 3, 4, 3>, in<i64, 4, 2>, in<i64, 4>, in<i64, 4>);
  const auto [loss, blanks] = f(std::vector<double>(36, -2), std::vector<i64>(8, 1),
                                std::vector<i64>{4, -1, 3, 3}, std::vector<i64>{1, 1, 3, -1});
  for (i64 k = 0; k < 4; ++k) {
    CHECK(std::isnan(loss[k]));
    CHECK(blanks[k] == doctest::Approx(6));
  }
}

TEST_CASE("ctc_loss: of run-time tensors, and of small floats computed in f32") {
  const std::vector<f32> x(24, -1.25f);
  const Tensor<f32, Shape<4, 2, 3>, Cpu> log_probs(x);
  const Tensor<i32, Shape<2, 2>, Cpu> targets(std::vector<i32>{0, 1, 1, 0});
  const Tensor<i32, Shape<2>, Cpu> steps(std::vector<i32>{4, 1}), counts(std::vector<i32>{2, 2});
  const Tensor<f32, Shape<2>, Cpu> loss =
      ctc_loss<none>(log_probs, targets, steps, counts, {.blank = 2, .zero_infinity = true});
  CHECK(loss.to_vector()[0] ==
        doctest::Approx(4 * 1.25 - std::log(15.0)));  // alignments of two labels in four
  CHECK(loss.to_vector()[1] == 0);
  auto f = compile(
      test_device(), [](auto z, auto y, auto n) { return ctc_loss<none>(z, y, n, n, {.blank = 2}); },
      in<bf16, 4, 1, 3>, in<i64, 1, 2>, in<i64, 1>);
  std::vector<bf16> small(12);
  for (bf16& v : small) v = bf16(-1.25f);
  const auto rounded = f(small, std::vector<i64>{0, 1}, std::vector<i64>{2});
  CHECK(static_cast<f32>(rounded[0]) == 2.5f);
}

TEST_CASE("ctc_loss: gradients against differences in f64") {
  const auto labels = [] { return arange<i64, 2>() + reshape<3, 1>(arange<i64, 3>() + 1); };
  const GradCheck r = gradcheck(
      [&](auto x) {
        return ctc_loss<none>(x, labels(), arange<i32, 3>() + 4, arange<i64, 3>(), {.zero_infinity = true});
      },
      point<6, 3, 5>(-3, -1));
  INFO("error ", r.error, ", lowered ", r.lowered);
  CHECK(r.ok());
  CHECK(r.has(ir::Op::loop));
  // equal neighbours want a blank between them
  CHECK(gradcheck([&](auto x) { return ctc_loss(x, ones<i64, 1, 3>(), full<i64, 1>(6), full<i64, 1>(3)); },
                  point<6, 1, 3>(-3, -1))
            .ok());
}
