#include "weft/ops/index/index.hpp"

#include "support/parity.hpp"
#include "unit/ops/weighted.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/shape/rearrange.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("index: every spelling of PyTorch's square brackets") {
  check_group(
      "index",
      [](auto x, auto i, auto j, auto k, auto flags, auto four) {
        const auto mask = ne(flags, 0);
        const auto column = select<1, 0>(slice<0, 0, 4>(mask));
        return std::tuple{index(x, range<1, 3>, range<0, to_end, 2>),
                          index(x, range<-3>, at<4>, range<-1>),
                          index(x, ellipsis, at<1>),
                          index(x, every, newaxis, range<2>, ellipsis, newaxis),
                          index(x, at<-1>, at<2>),
                          index(x, at<1>, at<2>, at<0>),
                          index(x, i),
                          index(x, every, j),
                          index(x, ellipsis, k),
                          index(x, i, j),
                          index(x, every, i, remainder(j, 3)),
                          index(x, i, every, remainder(j, 3)),
                          index(four, at<1>, i, range<1, 4, 2>),
                          index(four, remainder(i, 2), at<2>, every, i),
                          index(four, remainder(i, 2), every, i),
                          index(select<1, 0>(x), bounded<4>(column)),
                          index(permute<1, 2, 0>(x), bounded<20>(mask)),
                          index(permute<1, 2, 0>(x), bounded<2>(mask)),
                          t(index(permute<1, 2, 0>(x), bounded<10>(mask)))};
      },
      in<f32, 4, 5, 3>, in<i64, 3>, in<i64, 1, 3>, in<i64, 2, 2>, in<i32, 5, 3>, in<f32, 2, 4, 5, 3>);
}

TEST_CASE("index_put: writing at any index") {
  check_group(
      "index_put",
      [](auto x, auto i, auto twice, auto j) {
        const auto column = reshape<3, 1>(arange<f32, 1, 4>());
        return std::tuple{
            index_put(x, 2.0, range<1, 3>, range<0, to_end, 2>),
            index_put(x, slice<1, 0, 3>(x) * 2, every, i), index_put(x, column, i, select<0, 0>(j)),
            index_put<true>(x, slice<0, 0, 3>(x), twice), index_put(x, 9.0, at<2>, ellipsis, at<0>)};
      },
      in<f32, 4, 5, 3>, in<i64, 3>, in<i64, 3>, in<i64, 1, 3>);
}

TEST_CASE("index: gradients as PyTorch has them") {
  check_group(
      "index_put_gradient",
      [](auto x, auto i, auto twice) {
        const auto rows = slice<0, 0, 3>(x);
        const auto [put_x, put_v] =
            weighted<0, 1>([i](auto v, auto u) { return index_put(v, u, i); })(x, rows);
        return std::tuple{
            weighted<0>([i](auto v) { return index(v, i, every, abs(i)); })(x), put_x, put_v,
            weighted<1>([twice](auto v, auto u) { return index_put<true>(v, u, twice); })(x, rows)};
      },
      in<f32, 4, 5, 3>, in<i64, 3>, in<i64, 3>);
}

TEST_CASE("index: slices, places and new axes launch nothing of their own") {
  CHECK(decltype(compile(
            Cpu{}, [](auto x) { return index(x, every, newaxis, range<1, 5, 2>, at<3>) * 2; },
            in<f32, 4, 6, 5>))::launches() == 1);
  CHECK(decltype(compile(
            Cpu{}, [](auto x, auto i) { return index(x, at<1>, i, ellipsis); }, in<f32, 4, 6, 5>,
            in<i32, 7>))::launches() == 1);
  // a slice that is only read by a product is no launch either
  CHECK(decltype(compile(
            Cpu{}, [](auto x, auto y) { return matmul(index(x, every, range<2, 5>), y); }, in<f32, 4, 6>,
            in<f32, 3, 5>))::launches() == 1);
}

TEST_CASE("index: tensors and numbers outside traced functions") {
  Tensor<f32, Shape<2, 3>> x{1, 2, 3, 4, 5, 6};
  Tensor<i32, Shape<2>> columns{-1, 0};
  Tensor<f32, Shape<2, 2>> y = index(x, every, columns) * 10;
  CHECK(y.to_vector() == std::vector<f32>{30, 10, 60, 40});
  Tensor<f32, Shape<3>> row = index(x, 1);  // a number known only at run time
  CHECK(row.to_vector() == std::vector<f32>{4, 5, 6});
}
