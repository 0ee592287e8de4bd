#pragma once
// Several tensors as one, or one as many combinations: torch.broadcast_tensors, block_diag, cartesian_prod,
// vander.

#include "weft/ops/reduce/scan.hpp"
#include "weft/ops/shape/axes.hpp"
#include "weft/ops/shape/coordinates.hpp"
#include "weft/ops/shape/split.hpp"
#include "weft/ops/shape/stacking.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(VectorsOrMatrices, "block_diag takes matrices, vectors (rows) and numbers in tensors");

// Operand K with the extents of all together.
template <int K>
struct BroadcastBesideOp : Operation<BroadcastBesideOp<K>> {
  template <class First, class... X>
  static constexpr auto joint(const First&, const X&... x) {
    if constexpr (sizeof...(X) == 0)
      return typename First::shape{};
    else
      return decltype(detail::broadcast_shapes<BroadcastBesideOp, Expr<f32, typename First::shape>,
                                               Expr<f32, decltype(joint(x...))>>()){};
  }
  template <ExprLike... X>
  static constexpr auto apply(ir::Builder&, const X&... x) {
    using S = decltype(joint(x...));
    const auto& own = std::get<K>(std::tie(x...));
    return Expr<typename std::tuple_element_t<K, std::tuple<X...>>::dtype, S>{
        ir::broadcast(own.value, S::value)};
  }
};

// Matrices along the diagonal of a matrix of zeros.
struct BlockDiagOp : Operation<BlockDiagOp> {
  template <ExprLike... X>
  static constexpr auto apply(ir::Builder& b, const X&... x) {
    constexpr bool ok = ((X::rank <= 2) && ...);
    static_assert(sizeof(VectorsOrMatrices<ok, BlockDiagOp, typename X::shape...>) > 0);
    if constexpr (ok) {
      constexpr i64 width[]{columns<X>()...};
      constexpr i64 all = (columns<X>() + ...);
      return [&]<std::size_t... K>(std::index_sequence<K...>) {
        return CatOp<0>::apply(b, PadOp<before(width, K), all - before(width, K) - width[K]>::apply(
                                      b, ReshapeOp<rows<X>(), columns<X>()>::apply(b, x), 0)...);
      }
      (std::index_sequence_for<X...>{});
    } else {
      return std::get<0>(std::tie(x...));
    }
  }

 private:
  template <class X>
  static constexpr i64 columns() {
    return X::rank == 0 ? 1 : X::shape::value.extent[X::rank >= 1 ? X::rank - 1 : 0];
  }
  template <class X>
  static constexpr i64 rows() {
    return X::rank < 2 ? 1 : X::shape::value.extent[0];
  }
  static constexpr i64 before(const i64* width, std::size_t k) {
    i64 n = 0;
    for (std::size_t i = 0; i < k; ++i) n += width[i];
    return n;
  }
};

// Powers 0 ... Count - 1 of each element of a vector (ascending), or from Count - 1 down.
template <i64 Count, bool Ascending>
struct VanderOp : Operation<VanderOp<Count, Ascending>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    static_assert(sizeof(RankIs<X::rank == 1, VanderOp, typename X::shape, GivenRank<1>>) > 0);
    if constexpr (X::rank == 1) {
      constexpr i64 n = X::shape::size, count = Count < 0 ? n : Count;
      // a running product of 1, x, x, ...
      const auto column = ReshapeOp<n, 1>::apply(b, x);
      const Dims d = Shape<n, count>::value;
      const ir::Value place{&b, b.leaf(ir::Op::iota, DType::i32, d, 1)};
      const ir::Value first = ir::binary(ir::Op::eq, place, ir::constant_like(place, 0));
      const ir::Value factors = ir::select(first, ir::constant(b, column.value.dtype(), d, 1), column.value);
      const auto powers =
          ScanOp<1, ir::Fold::prod>::apply(b, Expr<typename X::dtype, Shape<n, count>>{factors});
      if constexpr (Ascending)
        return powers;
      else
        return FlipOp<1>::apply(b, powers);
    } else {
      return x;
    }
  }
};

// A tuple of all operands with the extents that they broadcast to.
template <class... X>
constexpr auto broadcast_tensors(const X&... x) {
  return [&]<int... K>(std::integer_sequence<int, K...>) {
    return std::tuple{BroadcastBesideOp<K>{}(x...)...};
  }
  (std::make_integer_sequence<int, sizeof...(X)>{});
}
template <class... X>
constexpr auto block_diag(const X&... x) {
  return BlockDiagOp{}(x...);
}
// cartesian_prod(a, b, ...) of vectors: every combination as a row, the last vector running fastest.
template <class A, class B, class... X>
constexpr auto cartesian_prod(const A& a, const B& b, const X&... x) {
  return std::apply(
      [](const auto&... grid) { return reshape<-1, static_cast<i64>(sizeof...(grid))>(stack<-1>(grid...)); },
      meshgrid(a, b, x...));
}
// vander(x), vander<count>(x), vander<count, true>(x): falling powers, or rising ones.
template <i64 Count = -1, bool Increasing = false, class X>
constexpr auto vander(const X& x) {
  return VanderOp<Count, Increasing>{}(x);
}

}  // namespace WEFT_NAMESPACE
