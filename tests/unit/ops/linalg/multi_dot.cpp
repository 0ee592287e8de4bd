// Products of several matrices, contractions by lists of axes, norms, distances and covariances:
// multi_dot.hpp, products.hpp, matrix_norm.hpp, distance.hpp.

#include "weft/ops/linalg/multi_dot.hpp"

#include "support/traced_parity.hpp"
#include "weft/ops/linalg/diagonal.hpp"
#include "weft/ops/linalg/distance.hpp"
#include "weft/ops/linalg/matrix_norm.hpp"
#include "weft/ops/linalg/products.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("products: of several matrices, over lists of axes, as PyTorch") {
  check_traced<2>(
      "functions/products",
      [](auto a, auto b, auto c, auto d, auto s, auto u) {
        using L = AxisList;
        return std::tuple{multi_dot(a, b),
                          multi_dot(a, b, c),
                          multi_dot(a, b, c, d),
                          multi_dot(d, t(c), t(b), t(a)),
                          multi_dot(d, t(c), t(b), t(a), a, b, c, d),
                          multi_dot(d, d),
                          tensordot<L{1, 2}, L{1, 0}>(s, u),
                          tensordot<0, 2>(s, u),
                          tensordot<L{2, 0, 1}, L{0, 2, 1}>(s, u),
                          tensordot<-1, 0>(s, u),
                          vecdot<1>(s, s * 2),
                          vecdot(s, select<0, 0>(s))};
      },
      in<f64, 2, 5>, in<f64, 5, 3>, in<f64, 3, 4>, in<f64, 4>, in<f64, 2, 3, 4>, in<f64, 4, 3, 2>);
}

TEST_CASE("products: multi_dot multiplies in the cheapest order") {
  using Rule =
      weft::detail::chain_rule<Shape<30, 35>, Shape<35, 15>, Shape<15, 5>, Shape<5, 10>, Shape<10, 20>,
                               Shape<20, 25>>;  // Cormen et al.: ((1 (2 3)) ((4 5) 6))
  static_assert(Rule::splits.at[0][5] == 2 && Rule::splits.at[0][2] == 0 && Rule::splits.at[3][5] == 4);
  using Tall = weft::detail::chain_rule<Shape<1000, 2>, Shape<2, 1000>, Shape<1000>>;
  static_assert(Tall::splits.at[0][2] == 0);
}

TEST_CASE("norms: of vectors and matrices, as PyTorch") {
  check_traced<2>(
      "functions/norms",
      [](auto a) {
        return std::tuple{matrix_norm(a),
                          matrix_norm(a, order<1>),
                          matrix_norm(a, order<-1>, keepdim),
                          matrix_norm(a, order_infinity),
                          matrix_norm(a, order_minus_infinity),
                          matrix_norm<2, 0>(a, order<1>),
                          matrix_norm<2, 0>(a, order_infinity, keepdim),
                          matrix_norm<0, 1>(a, frobenius),
                          matrix_norm(a, keepdim),
                          vector_norm(a),
                          vector_norm<2>(a, order<1>),
                          vector_norm<0, 1>(a, 2.5, keepdim),
                          vector_norm<1>(a, 0.5),
                          vector_norm<2>(a, order_minus_infinity),
                          vector_norm(a, order_infinity),
                          vector_norm<0>(a, 3, keepdim),
                          vector_norm<0>(a, order<-1>)};
      },
      in<f64, 2, 3, 4>);
}

TEST_CASE("norms: held to a bound, as PyTorch") {
  check_traced<2>(
      "functions/renorm",
      [](auto a) {
        return std::tuple{renorm<1>(a, 1.2), renorm<0>(a, order<1>, 3), renorm<-1>(a, order<3>, 0.9),
                          renorm<0>(select<0, 0>(a), order_infinity, 0.5)};
      },
      in<f64, 2, 3, 4>);
}

TEST_CASE("distances between rows, and how they vary together, as PyTorch") {
  check_traced(
      "functions/distance",
      [](auto a, auto b) {
        const auto first = select<0, 0>(a);
        return std::tuple{
            cdist(a, b),     cdist(a, b, order<1>), cdist(a, b, order<3>), cdist(a, b, order_infinity),
            cdist(first, b), pdist(first),          pdist(first, order<1>)};
      },
      in<f64, 2, 3, 4>, in<f64, 2, 5, 4>);
  check_traced<2>(
      "functions/covariance",
      [](auto a, auto b) {
        return std::tuple{cov(select<0, 0>(a)), cov(b), cov(select<0, 1>(a), correction<0>),
                          corrcoef(select<0, 0>(a)), corrcoef(b)};
      },
      in<f64, 2, 3, 4>, in<f64, 5>);
}
