// Some of each of the functions whose formulae are held by traced programs, compiled: they can be evaluated
// while the compiler runs, and their kernels give PyTorch's results.

#include "support/parity.hpp"
#include "weft/ops/alias.hpp"
#include "weft/ops/index/one_hot.hpp"
#include "weft/ops/index/scatter_view.hpp"
#include "weft/ops/index/unravel_index.hpp"
#include "weft/ops/linalg/distance.hpp"
#include "weft/ops/linalg/matrix_norm.hpp"
#include "weft/ops/loss/linear_cross_entropy.hpp"
#include "weft/ops/math/normal_functions.hpp"
#include "weft/ops/nn/channel_norm.hpp"
#include "weft/ops/reduce/histogram.hpp"
#include "weft/ops/shape/combine.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("compiled: some of each function, as PyTorch") {
  check_group(
      "functions/compiled",
      [](auto a, auto p, auto i) {
        using L = AxisList;
        const auto few = slice<0, 0, 3>(p);
        const auto least = minimum(i, 2);
        return std::tuple_cat(
            std::tuple{layer_norm<3, 4>(a), var<1>(a, correction<2>, keepdim), group_norm<2>(a),
                       clamp(a, -1, 1), movedim<L{0, 2}, L{2, 0}>(reshape<3, 2, 2>(a)), block_diag(a, p),
                       vander<3>(p), cartesian_prod(p, slice<0, 0, 2>(p)), one_hot<4>(i)},
            unravel_index<2, 2>(i),
            std::tuple{slice_scatter<1, 0, 4, 2>(a, slice<1, 0, 2>(a) * 2), diagonal_scatter(a, few),
                       masked_scatter(a, a > 0, abs(a)), put(a, i, few), multi_dot(a, t(a), a),
                       tensordot<L{0, 1}, L{0, 1}>(a, a), matrix_norm(a, order<1>), vector_norm<1>(a, 2.5),
                       cdist(a, flip<0>(a)), pdist(a), cov(a), trapezoid(a, cumsum<0>(p)),
                       cumulative_trapezoid(a)},
            gradient(a, 0.5), histogram<4>(a),
            std::tuple{ndtr(a), log_ndtr(a), erfcx(a), ndtri(p / 3), entr(p),
                       linear_cross_entropy(a, reshape<3, 4>(t(a)), least), select_scatter<0, 1>(a, p),
                       instance_norm(reshape<1, 3, 4>(a)), batch_norm(a, zeros_like(p), p)});
      },
      in<f32, 3, 4>, in<f32, 4>, in<i64, 3>);
}
