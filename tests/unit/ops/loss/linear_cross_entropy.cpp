#include "weft/ops/loss/linear_cross_entropy.hpp"

#include "support/traced_parity.hpp"
#include "weft/exec/function.hpp"
#include "weft/exec/model.hpp"
#include "weft/nn/bilinear.hpp"
#include "weft/nn/distance.hpp"
#include "weft/nn/linear_cross_entropy.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("linear_cross_entropy: as PyTorch") {
  check_traced<2>(
      "functions/linear_cross_entropy",
      [](auto x, auto w, auto b, auto y, auto c, auto d, auto e, auto s, auto soft) {
        const auto none = where(lt(y, 0), 0, y);
        return std::tuple{
            linear_cross_entropy(x, w, y),
            linear_cross_entropy(x, w, y, b),
            linear_cross_entropy(x, w, y, b, stop_gradient(c)),
            linear_cross_entropy<reduction::sum>(x, w, y, b, {.label_smoothing = 0.1}),
            linear_cross_entropy(x, w, none, {.ignore_index = 0}),
            linear_cross_entropy<reduction::none>(x, w, y, b),
            linear_cross_entropy(x, d, s, e),
            linear_cross_entropy(x, d, s),
            linear_cross_entropy(x, w, stop_gradient(soft), b),
            linear_cross_entropy(select<0, 0>(x), w, select<0, 0>(y)),
        };
      },
      in<f64, 4, 3>, in<f64, 5, 3>, in<f64, 5>, in<i64, 4>, in<f64, 5>, in<f64, 5, 2, 3>, in<f64, 5, 2>,
      in<i64, 4, 2>, in<f64, 4, 5>);
}

TEST_CASE("linear_cross_entropy: the layer, and functions and layers of pairs, as PyTorch") {
  check_traced<2>(
      "functions/pairs",
      [](auto x, auto y, auto w, auto b) {
        const nn::CosineSimilarity<1> cosine{.eps = 0.1f};
        const nn::PairwiseDistance<3> distance{.eps = 0.01f};
        return std::tuple{nn::functional::bilinear(x, y, w), nn::functional::bilinear(x, y, w, b),
                          cosine(x, y), distance(x, y)};
      },
      in<f64, 4, 3>, in<f64, 4, 3>, in<f64, 2, 3, 3>, in<f64, 2>);

  using Loss = nn::LinearCrossEntropyLoss<3, 5, true>;
  static_assert(nn::state_table<Loss>.row[0].name.view() == "linear.weight");
  static_assert(nn::state_table<Loss>.row[1].name.view() == "linear.bias");
  Model<Loss, TestDevice> model(test_device(), 3);
  auto f = compile(
      model,
      [](const auto& m, auto x, auto y) {
        return std::tuple{m(x, y), cross_entropy(m.linear(x), y)};
      },
      in<f32, 4, 3>, in<i64, 4>);
  const auto [fused, apart] =
      f(std::vector<f32>{1, 2, 3, -1, 0, 1, 2, 2, 2, 0, 1, -3}, std::vector<i64>{4, -100, 0, 2});
  CHECK(fused.item() == apart.item());
}
