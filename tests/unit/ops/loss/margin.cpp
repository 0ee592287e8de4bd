#include "weft/ops/loss/margin.hpp"

#include "support/gradcheck.hpp"
#include "support/parity.hpp"
#include "unit/ops/weighted.hpp"
#include "weft/ops/shape/creation.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

constexpr auto none = reduction::none, total = reduction::sum, average = reduction::mean;

}  // namespace

TEST_CASE("margin: margins between tensors, as PyTorch") {
  check_group(
      "losses/margins",
      [](auto a, auto b, auto c, auto y) {
        return std::tuple_cat(
            both([&](auto x) { return margin_ranking_loss(x, b, sign(c), 0.3); }, a),
            both([&](auto x) { return hinge_embedding_loss<none>(x, sign(c), 0.8); }, a),
            both([&](auto x) { return cosine_embedding_loss(x, b, y); }, a),
            both([&](auto x) { return cosine_embedding_loss<none>(x, b, y, -0.6); }, a),
            both([&](auto x) { return triplet_margin_loss(x, b, c); }, a),
            both([&](auto x) { return triplet_margin_loss<none, 1>(x, b, c, 2); }, a),
            both([&](auto x) { return triplet_margin_loss<total, 2, true>(x, b, c, 1.5); }, a));
      },
      in<f32, 4, 6>, in<f32, 4, 6>, in<f32, 4, 6>, in<f32, 4>);
}
TEST_CASE("margin: margins between classes, as PyTorch") {
  check_group(
      "losses/margin_labels",
      [](auto a, auto y, auto many, auto t, auto w) {
        return std::tuple_cat(both([&](auto x) { return multi_margin_loss(x, y); }, a),
                              both([&](auto x) { return multi_margin_loss<none, 2>(x, y, 0.7); }, a),
                              both([&](auto x) { return multi_margin_loss(x, y, 1, w); }, a),
                              both([&](auto x) { return multilabel_margin_loss(x, many); }, a),
                              both([&](auto x) { return multilabel_margin_loss<none>(x, many); }, a),
                              both([&](auto x) { return multilabel_soft_margin_loss(x, t); }, a),
                              both([&](auto x) { return multilabel_soft_margin_loss<none>(x, t, w); }, a));
      },
      in<f32, 4, 6>, in<i64, 4>, in<i64, 4, 6>, in<f32, 4, 6>, in<f32, 6>);
}
TEST_CASE("margin: triplets with a distance of one's own, as PyTorch") {
  check_group(
      "losses/distances",
      [](auto a, auto p, auto n) {
        const auto cosine = [](const auto& x, const auto& y) { return 1 - cosine_similarity(x, y); };
        const auto euclid = [](const auto& x, const auto& y) { return pairwise_distance(x, y); };
        const auto each = [](const auto& x, const auto& y) { return square(x - y); };
        const auto all = [&](const auto& f) {
          return std::tuple_cat(std::tuple{f(a, p, n)}, weighted<0, 1, 2>(f)(a, p, n));
        };
        return std::tuple_cat(
            all([](auto x, auto y, auto z) { return triplet_margin_with_distance_loss(x, y, z); }),
            all([&](auto x, auto y, auto z) {
              return triplet_margin_with_distance_loss<none>(x, y, z, euclid, 1.5);
            }),
            all([&](auto x, auto y, auto z) {
              return triplet_margin_with_distance_loss<total>(x, y, z, cosine);
            }),
            all([&](auto x, auto y, auto z) {
              return triplet_margin_with_distance_loss<none, true>(x, y, z, cosine, 0.7);
            }),
            all([&](auto x, auto y, auto z) {
              return triplet_margin_with_distance_loss<average, true>(x, y, z, each);
            }));
      },
      in<f32, 5, 6>, in<f32, 5, 6>, in<f32, 5, 6>);
}

TEST_CASE("margin: gradients against differences in f64") {
  const auto check = [](const char* what, const auto& f, const auto&... points) {
    const GradCheck r = gradcheck(f, points...);
    INFO(what, ": error ", r.error, ", lowered ", r.lowered);
    CHECK(r.ok());
  };
  const auto x = point<3, 4>(-2, 2, 1), y = point<3, 4>(-2, 2, 2), z = point<3, 4>(4, 5, 3);
  check(
      "margin_ranking_loss", [](auto a, auto b) { return margin_ranking_loss<none>(a, b, 1, 9); }, x, y);
  check(
      "hinge_embedding_loss", [](auto a) { return hinge_embedding_loss<none>(a, full_like(a, -1), 9); }, x);
  check(
      "cosine_embedding_loss",
      [](auto a, auto b) { return cosine_embedding_loss<none>(a, b, arange<i64, 3>() * 2 - 1, -2); }, x, y);
  check(
      "triplet_margin_loss", [](auto a, auto b, auto c) { return triplet_margin_loss<none>(a, b, c, 99); }, x,
      y, z);
  check(
      "triplet_margin_with_distance_loss",
      [](auto a, auto b, auto c) {
        const auto distance = [](const auto& u, const auto& v) { return sum<-1>(square(u - v) * u); };
        return triplet_margin_with_distance_loss<none, true>(a, b, c, distance, 999);
      },
      x, y, z);
  check(
      "multi_margin_loss", [](auto a) { return multi_margin_loss<none, 2>(a, arange<i64, 3>(), 9); }, x);
  check(
      "multilabel_margin_loss",
      [](auto a) { return multilabel_margin_loss<none>(a * 0.1, zeros<i64, 3, 4>() - arange<i64, 4>()); }, x);
  check(
      "multilabel_soft_margin_loss", [](auto a, auto t) { return multilabel_soft_margin_loss<none>(a, t); },
      z, y);
}
