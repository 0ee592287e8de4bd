#include "weft/ops/index/scatter_view.hpp"

#include "support/traced_parity.hpp"
#include "weft/ops/shape/creation.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("scatter_view: a tensor written into a view of another, as PyTorch") {
  check_traced<2>(
      "functions/views",
      [](auto a, auto r, auto d, auto m, auto s) {
        const auto first = select<0, 0>(a);
        const auto places =
            reshape<2, 2>(where(eq(arange<i64, 4>(), 1), 5,
                                where(eq(arange<i64, 4>(), 2), -1, where(eq(arange<i64, 4>(), 3), 7, 0))));
        const auto twice = where(lt(arange<i64, 3>(), 2), 3, 0);
        return std::tuple{select_scatter<1, 2>(a, r),
                          select_scatter<1, -3>(a, r),
                          select_scatter<0, 1>(a, first * select<0, 1>(a)),
                          slice_scatter<1, 1, 2>(a, reshape<2, 1, 4>(r)),
                          slice_scatter<2, 0, 4, 2>(a, slice<2, 0, 2>(a) * 2),
                          slice_scatter<2, 1, 4, 3>(a, slice<2, 0, 1>(a) * 3),
                          slice_scatter<1, -2>(a, slice<1, 0, 2>(a) * 3),
                          slice_scatter<0>(a, a * a),
                          diagonal_scatter(a, d),
                          diagonal_scatter<0, 1, 2>(a, slice<1, 0, 3>(r)),
                          diagonal_scatter<2, 1, 2>(a, slice<1, 0, 2>(r)),
                          diagonal_scatter<-1>(first, slice<0, 0, 2>(select<0, 0>(r))),
                          masked_scatter(a, m, s),
                          masked_scatter(first, m, s),
                          masked_scatter(select<1, 0>(a), select<0, 0>(m), s),
                          put(a, places, reshape<2, 2>(select<0, 0>(r))),
                          put<true>(a, twice, slice<0, 0, 3>(s))};
      },
      in<f64, 2, 3, 4>, in<f64, 2, 4>, in<f64, 4, 2>, in<bool, 3, 4>, in<f64, 20>);
  check_traced<0>(
      "functions/views_empty",
      [](auto a, auto b) {
        return std::tuple{slice_scatter<2>(a, a * 2), masked_scatter(a, a > 0, b), slice_scatter<1>(b, b)};
      },
      in<f64, 2, 0, 4>, in<f64, 2, 4, 0>);
}
