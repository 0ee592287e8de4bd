#pragma once
// More tensors made from nothing, and grids: logspace, triangles' indices, meshgrid.

#include "weft/ops/index/padded_results.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/shape/triangular.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

// The coordinates of a triangle, row by row.
template <bool Lower, i64 Rows, i64 Cols, i64 Offset>
struct TriangleIndices : Operation<TriangleIndices<Lower, Rows, Cols, Offset>> {
  using weft_creates = void;
  static constexpr i64 count() {
    i64 n = 0;
    for (i64 r = 0; r < Rows; ++r)
      for (i64 c = 0; c < Cols; ++c) n += (Lower ? c <= r + Offset : c >= r + Offset) ? 1 : 0;
    return n;
  }
  static constexpr auto apply(ir::Builder& b) {
    constexpr i64 n = count();
    const auto ones = Expr<i32, Shape<Rows, Cols>>{ir::constant(b, DType::i32, Shape<Rows, Cols>::value, 1)};
    const auto found = NonzeroOp<n, false>::apply(b, TriangleOp<Lower, Offset>::apply(b, ones));
    const i64 order[2]{1, 0};
    return Expr<i64, Shape<2, n>>{ir::permute(found.value, order)};
  }
};

// Operand K of a grid: along axis K, the same along the others; `xy` swaps the first two axes.
template <int K, bool Xy>
struct GridOf : Operation<GridOf<K, Xy>> {
  template <class... X>
  struct Rule {
    static constexpr Dims make() {
      Dims r;
      r.rank = sizeof...(X);
      const i64 extent[]{X::shape::size..., 1};
      for (int k = 0; k < r.rank; ++k) r.extent[place(k, r.rank)] = extent[k];
      return r;
    }
    static constexpr int place(int k, int rank) { return Xy && rank > 1 && k < 2 ? 1 - k : k; }
    static constexpr Dims value = make();
  };
  template <ExprLike... X>
  static constexpr auto apply(ir::Builder&, const X&... x) {
    static_assert(
        sizeof(RankIs<((X::rank <= 1) && ... && true), GridOf, typename X::shape..., GivenRank<1>>) > 0);
    using R = Rule<X...>;
    using E = std::tuple_element_t<K, std::tuple<X...>>;
    const auto& own = std::get<K>(std::tie(x...));
    Dims line = R::value;
    for (int k = 0; k < line.rank; ++k) line.extent[k] = 1;
    line.extent[R::place(K, line.rank)] = E::shape::size;
    return Expr<typename E::dtype, shape_of<R>>{ir::broadcast(ir::reshape(own.value, line), R::value)};
  }
};
template <bool Xy, std::size_t... K, class... X>
constexpr auto grids(std::index_sequence<K...>, const X&... x) {
  return std::tuple{GridOf<static_cast<int>(K), Xy>{}(x...)...};
}

}  // namespace detail

struct IndexingXy {};
inline constexpr IndexingXy indexing_xy{};

// logspace<f32, n>(low, high, base): powers of the base, the exponents as linspace has them.
template <class T, i64 N, class A, class B, class C = double>
constexpr auto logspace(const A& low, const B& high, const C& base = 10) {
  return pow(base, linspace<T, N>(low, high));
}
// tril_indices<rows, columns, offset>(): (2, n)
template <i64 Rows, i64 Cols, i64 Offset = 0>
constexpr auto tril_indices() {
  return detail::TriangleIndices<true, Rows, Cols, Offset>{}();
}
template <i64 Rows, i64 Cols, i64 Offset = 0>
constexpr auto triu_indices() {
  return detail::TriangleIndices<false, Rows, Cols, Offset>{}();
}
// meshgrid(x, y, ...): a tuple, each as large as the grid, whose axes are x, y, ...; with `indexing_xy` in
// front, the first two change places, as numpy has it.
template <class... X>
constexpr auto meshgrid(const X&... x) {
  return detail::grids<false>(std::index_sequence_for<X...>{}, x...);
}
template <class... X>
constexpr auto meshgrid(IndexingXy, const X&... x) {
  return detail::grids<true>(std::index_sequence_for<X...>{}, x...);
}

}  // namespace WEFT_NAMESPACE
