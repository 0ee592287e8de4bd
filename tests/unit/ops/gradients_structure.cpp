// Gradients in f64 of what indexes, sorts, folds, contracts and rearranges; see gradients.cpp.

#include <doctest/doctest.h>

#include "support/gradcheck.hpp"
#include "weft/nn/embedding.hpp"
#include "weft/ops/index/index.hpp"
#include "weft/ops/linalg/diagonal.hpp"
#include "weft/ops/linalg/einsum.hpp"
#include "weft/ops/linalg/products.hpp"
#include "weft/ops/math/special.hpp"
#include "weft/ops/reduce/nan.hpp"
#include "weft/ops/reduce/scan.hpp"
#include "weft/ops/shape/coordinates.hpp"

using namespace weft;
using namespace weft::testing;

namespace {
template <class F, class... P>
void check(const std::string& what, const F& f, const P&... points) {
  const GradCheck r = gradcheck(f, points...);
  INFO(what, ": error ", r.error, ", lowered ", r.lowered);
  CHECK(r.ok());
}

const auto x = point<3, 4>(-2, 2, 1), y = point<3, 4>(-2, 2, 2);
const auto positive = point<3, 4>(0.3, 2, 3), inner_part = point<3, 4>(-0.8, 0.8, 4);
const auto row = point<4>(-2, 2, 6);
const auto cube = point<2, 3, 4>(-2, 2, 7);

// Indices (2, 3) with a value that comes twice and one from the end.
constexpr auto places() {
  return reshape<2, 3>(where(eq(arange<i64, 6>(), 5), -1, remainder(arange<i64, 6>(), 2)));
}
constexpr auto rows() { return where(eq(arange<i32, 3>(), 2), 0, arange<i32, 3>()); }
}  // namespace

TEST_CASE("op gradients: running folds and order") {
  check(
      "cumsum", [](auto v) { return cumsum<1>(v) * v; }, cube);
  check(
      "cumprod", [](auto v) { return cumprod<-1>(v); }, cube);
  check(
      "cummax", [](auto v) { return std::get<0>(cummax<1>(v)); }, cube);
  check(
      "cummin", [](auto v) { return std::get<0>(cummin<0>(v)); }, cube);
  check(
      "logcumsumexp", [](auto v) { return logcumsumexp<1>(v); }, cube);
  check(
      "diff", [](auto v) { return diff<1, 2>(v); }, cube);
  check(
      "sort", [](auto v) { return std::get<0>(sort<1>(v, descending)); }, cube);
  check(
      "msort", [](auto v) { return msort(v); }, cube);
  check(
      "topk", [](auto v) { return std::get<0>(topk<2>(v)); }, cube);
  check(
      "kthvalue", [](auto v) { return std::get<0>(kthvalue<2>(v)); }, cube);
  check(
      "median", [](auto v) { return median(v) + std::get<0>(median<1>(v)); }, cube);
  check(
      "nanmedian", [](auto v) { return nanmedian(v); }, cube);
  check(
      "quantile", [](auto v) { return quantile<1>(v, 0.4); }, cube);
  check(
      "nanquantile", [](auto v) { return nanquantile<1>(v, 0.4); }, cube);
}
TEST_CASE("op gradients: by index") {
  check(
      "gather", [](auto v) { return gather<1>(v, places()); }, x);
  check(
      "take_along_dim", [](auto v) { return take_along_dim<1>(v, slice<0, 0, 1>(places())); }, x);
  check(
      "index_select", [](auto v) { return index_select<0>(v, rows()); }, x);
  check(
      "take", [](auto v) { return take(v, places()); }, x);
  check(
      "scatter", [](auto v, auto u) { return scatter<1>(v, places(), u); }, x, y);
  check(
      "scatter_add", [](auto v, auto u) { return scatter_add<1>(v, places(), u); }, x, y);
  check(
      "scatter_reduce", [](auto v, auto u) { return scatter_reduce<1>(v, places(), u, reduce::prod); },
      positive, point<3, 4>(0.5, 2, 9));
  check(
      "scatter_reduce", [](auto v, auto u) { return scatter_reduce<1>(v, places(), u, reduce::mean); }, x, y);
  check(
      "scatter_reduce",
      [](auto v, auto u) { return scatter_reduce<1>(v, places(), u, reduce::amax, exclude_self); }, x, y);
  check(
      "index_add", [](auto v, auto u) { return index_add<0>(v, rows(), u, 0.5); }, x, y);
  check(
      "index_copy", [](auto v, auto u) { return index_copy<0>(v, rows(), u) * v; }, x, y);
  check(
      "index_fill", [](auto v) { return index_fill<1>(v * v, rows(), 3); }, x);
  check(
      "index_reduce", [](auto v, auto u) { return index_reduce<0>(v, rows(), u, reduce::sum); }, x, y);
  check(
      "index", [](auto v) { return index(v, every, newaxis, places()); }, x);
  check(
      "index", [](auto v) { return index(v, rows(), range<0, to_end, 2>) * 2; }, x);
  check(
      "index_put", [](auto v, auto u) { return index_put(v, u, rows(), ellipsis); }, x, y);
  check(
      "index_put", [](auto v, auto u) { return index_put<true>(v, u, rows(), ellipsis); }, x, y);
  check(
      "masked_select", [](auto v) { return std::get<0>(masked_select<6>(v * v, v > 0)); }, x);
  check(
      "unique", [](auto v) { return std::get<0>(unique<12>(v)); }, x);
  check(
      "unique_consecutive", [](auto v) { return std::get<0>(unique_consecutive<12>(v)); }, x);
  check(
      "bincount", [](auto w) { return bincount<3>(reshape<12>(arange<i64, 12>()), reshape<12>(w)); }, x);
  check(
      "embedding_bag",
      [](auto w) { return nn::functional::embedding_bag<nn::Bag::mean, 1>(places() + 1, w); }, x);
  check(
      "embedding_bag", [](auto w) { return nn::functional::embedding_bag<nn::Bag::max>(places() + 1, w); },
      x);
  check(
      "weighted_embedding_bag",
      [](auto w, auto s) { return nn::functional::weighted_embedding_bag(places() + 1, w, s); }, x,
      point<2, 3>(-2, 2));
  check(
      "embedding", [](auto w) { return nn::functional::embedding(places() + 1, w); }, x);
}
TEST_CASE("op gradients: special functions and reductions") {
  check(
      "lgamma", [](auto v) { return lgamma(v); }, positive);
  check(
      "lgamma", [](auto v) { return lgamma(v - 3); }, point<3, 4>(0.1, 0.9, 3));
  check(
      "digamma", [](auto v) { return digamma(v); }, positive);
  check(
      "digamma", [](auto v) { return digamma(v - 2); }, point<3, 4>(0.2, 0.8, 3));
  check(
      "erfinv", [](auto v) { return erfinv(v); }, inner_part);
  check(
      "sinc", [](auto v) { return sinc(v); }, x);
  check(
      "logit", [](auto v) { return logit(v, 0.01); }, point<3, 4>(0.1, 0.9));
  check(
      "xlogy", [](auto a, auto b) { return xlogy(a, b); }, x, positive);
  check(
      "xlog1py", [](auto a, auto b) { return xlog1py(a, b); }, x, positive);
  check(
      "logaddexp2", [](auto a, auto b) { return logaddexp2(a, b); }, x, point<3, 4>(2.1, 4));
  check(
      "heaviside", [](auto a, auto b) { return heaviside(a, b) * a + b; }, positive, y);
  check(
      "nan_to_num", [](auto v) { return nan_to_num(v); }, x);
  check(
      "fmax", [](auto a, auto b) { return fmax(a, b) * fmin(a, b); }, x, point<3, 4>(2.1, 4));
  check(
      "fmin", [](auto a, auto b) { return fmin(a, b); }, x, point<3, 4>(-1, 4, 11));
  check(
      "ldexp", [](auto v) { return ldexp(v, 3); }, x);
  check(
      "float_power", [](auto v, auto p) { return float_power(v, p); }, positive, y);
  check(
      "deg2rad", [](auto v) { return deg2rad(v) + rad2deg(v); }, x);
  check(
      "rad2deg", [](auto v) { return rad2deg(v); }, x);
  check(
      "nansum", [](auto v) { return nansum<1>(v * v); }, x);
  check(
      "nanmean", [](auto v) { return nanmean<0>(v * v); }, x);
  check(
      "aminmax", [](auto v) { return aminmax<1>(v); }, x);
  check(
      "var_mean", [](auto v) { return var_mean<1>(v); }, x);
  check(
      "std_mean", [](auto v) { return std_mean<1>(v); }, x);
  check(
      "dist", [](auto a, auto b) { return dist(a, b); }, x, y);
}
TEST_CASE("op gradients: einsum and products") {
  check(
      "einsum", [](auto a, auto b) { return einsum<"ij,kj->ik">(a, b); }, x, y);
  check(
      "einsum", [](auto a, auto b, auto c) { return einsum<"bij,ij,j->b">(a, b, c); }, cube, x, row);
  check(
      "einsum", [](auto v) { return einsum<"ii->i">(slice<1, 0, 3>(v)); }, x);
  check(
      "kron", [](auto a, auto b) { return kron(a, b); }, x, point<2, 2>(-2, 2));
  check(
      "cross", [](auto a, auto b) { return cross<0>(a, b); }, x, y);
  check(
      "inner", [](auto a, auto b) { return inner(a, b); }, x, row);
  check(
      "dot", [](auto a, auto b) { return dot(a, b * a); }, row, point<4>(-2, 2, 8));
  check(
      "tensordot", [](auto a, auto b) { return tensordot<2>(a, b); }, cube, x);
  check(
      "baddbmm", [](auto c, auto a, auto b) { return baddbmm(c, a, b, 0.5, 2); }, point<2, 3, 3>(-2, 2), cube,
      point<2, 4, 3>(-2, 2));
  check(
      "addmv", [](auto c, auto a, auto b) { return addmv(c, a, b, 0.5, 2); }, point<3>(-2, 2), x, row);
  check(
      "addr", [](auto c, auto a, auto b) { return addr(c, a, b, 0.5, 2); }, x, point<3>(-2, 2), row);
  check(
      "addbmm", [](auto c, auto a, auto b) { return addbmm(c, a, b); }, point<3, 3>(-2, 2), cube,
      point<2, 4, 3>(-2, 2));
  check(
      "matrix_power", [](auto v) { return matrix_power<3>(v); }, point<3, 3>(-1, 1));
}
TEST_CASE("op gradients: rearrangements and diagonals") {
  check(
      "movedim", [](auto v) { return movedim<0, 2>(v); }, cube);
  check(
      "swapaxes", [](auto v) { return swapaxes<0, 2>(v); }, cube);
  check(
      "unflatten", [](auto v) { return unflatten<2, 2, 2>(v); }, cube);
  check(
      "ravel", [](auto v) { return ravel(v); }, cube);
  check(
      "repeat_interleave", [](auto v) { return repeat_interleave<2, 1>(v); }, cube);
  check(
      "unfold", [](auto v) { return unfold<2, 3, 1>(v); }, cube);
  check(
      "unfold", [](auto v) { return unfold<2, 2, 2>(v); }, cube);
  check(
      "rot90", [](auto v) { return rot90<3, 1, 2>(v); }, cube);
  check(
      "flipud", [](auto v) { return flipud(v) + fliplr(v); }, cube);
  check(
      "fliplr", [](auto v) { return fliplr(v); }, cube);
  check(
      "unbind", [](auto v) { return unbind<1>(v); }, cube);
  check(
      "tensor_split", [](auto v) { return tensor_split<3, 2>(v); }, cube);
  check(
      "split_at", [](auto v) { return split_at<2, 1, 3>(v); }, cube);
  check(
      "hsplit", [](auto v) { return hsplit<2>(v); }, x);
  check(
      "vsplit", [](auto v) { return vsplit<2>(v); }, x);
  check(
      "dsplit", [](auto v) { return dsplit<2>(v); }, cube);
  check(
      "atleast_1d", [](auto v) { return atleast_1d(sum(v)); }, x);
  check(
      "atleast_2d", [](auto v) { return atleast_2d(v); }, row);
  check(
      "atleast_3d", [](auto v) { return atleast_3d(v); }, x);
  check(
      "hstack", [](auto a, auto b) { return hstack(a, b); }, x, y);
  check(
      "vstack", [](auto a, auto b) { return vstack(a, b); }, x, row);
  check(
      "dstack", [](auto a, auto b) { return dstack(a, b); }, x, y);
  check(
      "column_stack", [](auto a, auto b) { return column_stack(a, b); }, x, point<3>(-2, 2));
  check(
      "diagonal", [](auto v) { return diagonal<1, 0, 2>(v); }, cube);
  check(
      "diag", [](auto v) { return diag<1>(v); }, row);
  check(
      "diag_embed", [](auto v) { return diag_embed<-1, 0, 1>(v); }, x);
  check(
      "diagflat", [](auto v) { return diagflat(v); }, x);
  check(
      "meshgrid", [](auto a, auto b) { return meshgrid(a, b); }, row, point<3>(-2, 2));
  check(
      "logspace", [](auto a) { return logspace<f64, 3>(a, 2, 2); }, point<>(-2, 2));
}
