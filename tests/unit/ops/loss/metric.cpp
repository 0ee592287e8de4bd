#include "weft/ops/loss/metric.hpp"

#include "support/parity.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("metric: every score is scikit-learn's, labels that do not count left out") {
  check_group(
      "losses/metrics",
      [](auto x, auto y) {
        using enum Average;
        const auto m = confusion_matrix(x, y);
        return std::tuple{accuracy(x, y),
                          topk_accuracy<1>(x, y),
                          topk_accuracy<2>(x, y),
                          topk_accuracy<4>(x, y),
                          m,
                          precision_score<micro>(m),
                          precision_score<macro>(x, y),
                          precision_score<weighted>(m),
                          recall_score<micro>(m),
                          recall_score<macro>(m),
                          recall_score<weighted>(x, y),
                          f1_score<micro>(m),
                          f1_score<macro>(m),
                          f1_score<weighted>(x, y),
                          precision_score<none>(m),
                          recall_score<none>(m),
                          f1_score<none>(m),
                          perplexity(x, y)};
      },
      in<f32, 60, 7>, in<i64, 60>);
}

TEST_CASE("metric: predicted classes in place of logits, and batches of sequences") {
  auto f = compile(
      test_device(),
      [](auto guess, auto labels) {
        return std::tuple{accuracy(guess, labels), confusion_matrix<3>(abs(guess), labels)};
      },
      in<i32, 2, 4>, in<i64, 2, 4>);
  const auto [part, matrix] =
      f(std::vector<i32>{0, 1, 2, 2, 1, 1, 0, 7}, std::vector<i64>{0, 1, 1, -1, 2, 1, 0, 2});
  CHECK(part.item() == doctest::Approx(4.0 / 7));
  const i64 wanted[9] = {2, 0, 0, 0, 2, 1, 0, 1, 0};
  for (int k = 0; k < 9; ++k) CHECK(matrix[k] == wanted[k]);
}

TEST_CASE("metric: labels of 8 bits among more classes than they count to") {
  const auto both = [](auto x, auto y) { return std::tuple{accuracy(x, y), topk_accuracy<2>(x, y)}; };
  std::vector<f32> logits(2 * 300);
  logits[3] = 1, logits[300 + 5] = 1;
  auto bytes = compile(test_device(), both, in<f32, 2, 300>, in<u8, 2>);
  auto words = compile(test_device(), both, in<f32, 2, 300>, in<i64, 2>);
  const auto [a, b] = bytes(logits, std::vector<u8>{3, 5});
  const auto [c, d] = words(logits, std::vector<i64>{3, 5});
  CHECK(a.item() == 1);
  CHECK(b.item() == 1);
  CHECK(c.item() == 1);
  CHECK(d.item() == 1);
}
