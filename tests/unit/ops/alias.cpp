// Second names, lists of axes, classes as rows, and several tensors as one: alias.hpp, one_hot.hpp,
// unravel_index.hpp, combine.hpp, axes.hpp.

#include "weft/ops/alias.hpp"

#include "support/traced_parity.hpp"
#include "weft/ops/index/one_hot.hpp"
#include "weft/ops/index/unravel_index.hpp"
#include "weft/ops/shape/combine.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("alias: PyTorch's second names") {
  check_traced(
      "functions/alias",
      [](auto a, auto b, auto c) {
        const auto row = select<0, 0>(a);
        return std::tuple{absolute(a),
                          arccos(a),
                          arccosh(b),
                          arcsin(a),
                          arcsinh(a),
                          arctan(a),
                          arctanh(a),
                          fix(b),
                          negative(a),
                          sgn(a),
                          detach(a) * b,
                          expit(a),
                          gammaln(b),
                          psi(b),
                          positive(a),
                          clone(a),
                          arctan2(a, b),
                          divide(a, b),
                          true_divide(a, b),
                          greater(a, 0),
                          greater_equal(a, c),
                          less(a, c),
                          less_equal(a, b),
                          not_equal(a, b),
                          multiply(a, c),
                          subtract(a, c),
                          ger(row, c),
                          vdot(c, select<0, 1>(a)),
                          clamp(a, -0.5, 0.3),
                          concat<1>(a, b),
                          concatenate(a, b),
                          row_stack(c, a),
                          swapdims<0, 1>(a),
                          moveaxis<0, 1>(a),
                          chain_matmul(a, t(b), a),
                          trapz(a),
                          binary_cross_entropy(a * 0.5 + 0.5, full_like(a, 0.25)),
                          binary_cross_entropy_with_logits(a, b / 4),
                          binary_cross_entropy<reduction::sum>(a * 0.5 + 0.5, b / 4)};
      },
      in<f64, 2, 3>, in<f64, 2, 3>, in<f64, 3>);
  check_traced<0>(
      "functions/argwhere", [](auto a) { return std::get<0>(argwhere<3>(a)); }, in<f64, 2, 3>);
}

TEST_CASE("alias: several axes moved, and an axis in given pieces") {
  check_traced(
      "functions/moved",
      [](auto a, auto b) {
        using L = AxisList;
        return std::tuple_cat(
            std::tuple{movedim<L{0, 1}, L{2, 3}>(a), movedim<L{3, 0}, L{0, -1}>(a), movedim<L{1}, L{0}>(a),
                       movedim<3, 1>(a), movedim<L{0, 1, 2, 3}, L{3, 2, 1, 0}>(a),
                       moveaxis<L{-1, 0}, L{0, 1}>(b)},
            split_with_sizes<3, 1, 0, 4>(a), split_with_sizes<1, 1, 2>(b));
      },
      in<f64, 2, 3, 4, 5>, in<f64, 2, 3, 4>);
}

TEST_CASE("alias: several tensors as one, as PyTorch") {
  check_traced<2>(
      "functions/combined",
      [](auto a, auto b, auto m) {
        const auto corner = select<0, 0>(select<0, 0>(m));
        return std::tuple_cat(
            broadcast_tensors(reshape<2, 1>(a), b, corner),
            std::tuple{block_diag(m, b, select<0, 0>(a), slice<1, 0, 1>(m)), cartesian_prod(a, b),
                       cartesian_prod(a, b, select<0, 0>(m)), vander(b), vander<5>(b), vander<2, true>(b),
                       vander<4, true>(a), block_diag(a)});
      },
      in<f64, 2>, in<f64, 3>, in<f64, 2, 2>);
  check_traced<0>(
      "functions/one_hot",
      [](auto i, auto j) {
        static_cast<void>(j);
        return std::tuple{one_hot<5>(j), one_hot<3>(select<0, 0>(i)),
                          one_hot<7>(select<0, 2>(select<0, 1>(i))), one_hot<4>(slice<1, 0, 0>(i))};
      },
      in<i64, 2, 3>, in<i32, 2, 3>);
  check_traced<0>(
      "functions/unravel_index",
      [](auto i, auto j) {
        return std::tuple_cat(unravel_index<2, 3, 4>(i), unravel_index<24>(i), unravel_index<2, 2>(j));
      },
      in<i64, 2, 3>, in<i64, 1>);
}
