#pragma once
// Results whose size depends on the data, with PyTorch's names: masked_select, nonzero, unique. Law: the
// result has a capacity known while compiling, filled from the front, and comes with the number of elements
// found, which may exceed the capacity. Counting into static bins: bincount, histc.

#include "weft/ops/index/scatter.hpp"
#include "weft/ops/index/sort.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

// For every element of a flat mask: which of the true ones it is, `capacity` where it is false.
constexpr ir::Value true_ranks(ir::Value mask, i64 capacity) {
  const ir::Value one = ir::cast(mask, DType::i64);
  const ir::Value rank = ir::scan(one, 0, false, ir::Fold::sum) - 1.0;
  return ir::select(mask, rank, ir::constant_like(rank, static_cast<double>(capacity)));
}
constexpr ir::Value true_count(ir::Value mask) {
  return ir::reshape(ir::reduce(ir::Op::reduce_sum, ir::cast(mask, DType::i64), 1u), Dims{});
}
// The first `capacity` elements of a flat x where the mask is true, `fill` behind them.
constexpr ir::Value packed(ir::Builder& b, ir::Value x, ir::Value mask, i64 capacity, double fill) {
  const ir::Value places = ir::scatter_reduce(true_ranks(mask, capacity), x, 0, capacity, ir::Fold::sum);
  if (fill == 0) return places;
  const ir::Value i{&b, b.leaf(ir::Op::iota, DType::i64, places.dims(), 0)};
  const ir::Value found = ir::broadcast(true_count(mask), places.dims());
  return ir::select(ir::binary(ir::Op::lt, i, found), places, ir::constant_like(places, fill));
}
constexpr Dims flat_dims(i64 size) {
  Dims d;
  d.rank = 1;
  d.extent[0] = size;
  return d;
}
// The places of a mask's true elements in row-major order, then its size.
constexpr ir::Value true_places(ir::Builder& b, ir::Value mask, i64 capacity) {
  const i64 size = mask.dims().size();
  const ir::Value flat = ir::reshape(mask, flat_dims(size));
  const ir::Value i{&b, b.leaf(ir::Op::iota, DType::i64, flat.dims(), 0)};
  return packed(b, i, flat, capacity, static_cast<double>(size));
}

}  // namespace detail

WEFT_REFUSAL(
    SelectMaskIsBoolean,
    "masked_select: the mask is boolean, true where an element is taken: masked_select<n>(x, mask != "
    "0)");
template <i64 Capacity, bool Count>
struct MaskedSelectOp : Operation<MaskedSelectOp<Capacity, Count>> {
  template <ExprLike X, ExprLike M>
  static constexpr auto apply(ir::Builder& b, const X& x, const M& mask) {
    static_assert(
        sizeof(
            SelectMaskIsBoolean<std::is_same_v<typename M::dtype, bool>, MaskedSelectOp, typename M::dtype>) >
        0);
    using S = decltype(detail::broadcast_shapes<MaskedSelectOp, X, M>());
    const Dims flat = detail::flat_dims(S::size);
    const ir::Value v = ir::reshape(ir::broadcast(x.value, S::value), flat);
    const ir::Value m = ir::reshape(ir::broadcast(mask.value, S::value), flat);
    if constexpr (Count)
      return Expr<i64, Shape<>>{detail::true_count(m)};
    else
      return Expr<typename X::dtype, Shape<Capacity>>{detail::packed(b, v, m, Capacity, 0)};
  }
};

// (Capacity, rank): the coordinates of what is not zero, -1 behind them.
template <i64 Capacity, bool Count>
struct NonzeroOp : Operation<NonzeroOp<Capacity, Count>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    const auto mask = ne(x, 0);
    if constexpr (Count) {
      return Expr<i64, Shape<>>{
          detail::true_count(ir::reshape(mask.value, detail::flat_dims(X::shape::size)))};
    } else {
      const ir::Value place = detail::true_places(b, mask.value, Capacity);
      const Dims to = Shape<Capacity, X::rank>::value, column = Shape<Capacity, 1>::value;
      const ir::Value p = ir::reshape(place, column);
      const ir::Value axis{&b, b.leaf(ir::Op::iota, DType::i64, to, 1)};
      ir::Value r = ir::constant(b, DType::i64, to, 0);
      i64 stride = 1;
      for (int k = X::rank - 1; k >= 0; --k) {
        const i64 extent = X::shape::value.extent[k];
        const ir::Value coordinate = ir::binary(
            ir::Op::fmod, ir::binary(ir::Op::div, p, ir::constant_like(p, static_cast<double>(stride))),
            ir::constant_like(p, static_cast<double>(extent)));
        r = ir::select(ir::binary(ir::Op::eq, axis, ir::constant_like(axis, k)),
                       ir::broadcast(coordinate, to), r);
        stride *= extent;
      }
      const ir::Value none =
          ir::binary(ir::Op::eq, p, ir::constant_like(p, static_cast<double>(X::shape::size)));
      return Expr<i64, Shape<Capacity, X::rank>>{
          ir::select(ir::broadcast(none, to), ir::constant_like(r, -1), r)};
    }
  }
};

enum class UniquePart { values, count, inverse, counts };

// The distinct elements in ascending order (Sort), or what is left when equal neighbours become one.
template <i64 Capacity, bool Sort, UniquePart Part>
struct UniqueOp : Operation<UniqueOp<Capacity, Sort, Part>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    constexpr i64 n = X::shape::size;
    const Dims flat = detail::flat_dims(n);
    const ir::Value v = ir::reshape(x.value, flat);
    const ir::Value order = ir::argsort(v, 0, false, n);
    const ir::Value line = Sort ? ir::take_along_axis(v, order, 0) : v;
    const ir::Value i{&b, b.leaf(ir::Op::iota, DType::i64, flat, 0)};
    const ir::Value before = ir::take_along_axis(line, i - 1.0, 0);  // the first one's is the last element
    const ir::Value starts = ir::binary(ir::Op::bit_or, ir::binary(ir::Op::ne, line, before),
                                        ir::binary(ir::Op::eq, i, ir::constant_like(i, 0)));
    const ir::Value rank = ir::scan(ir::cast(starts, DType::i64), 0, false, ir::Fold::sum) - 1.0;
    if constexpr (Part == UniquePart::values) {
      return Expr<typename X::dtype, Shape<Capacity>>{detail::packed(b, line, starts, Capacity, 0)};
    } else if constexpr (Part == UniquePart::count) {
      return Expr<i64, Shape<>>{detail::true_count(starts)};
    } else if constexpr (Part == UniquePart::inverse) {
      const ir::Value r = Sort ? ir::scatter_reduce(order, rank, 0, n, ir::Fold::sum) : rank;
      return Expr<i64, typename X::shape>{ir::reshape(r, X::shape::value)};
    } else {
      return Expr<i64, Shape<Capacity>>{
          ir::scatter_reduce(rank, ir::constant_like(rank, 1), 0, Capacity, ir::Fold::sum)};
    }
  }
};

// How often each of 0, 1, ..., Bins - 1 comes, or the sum of its weights.
template <i64 Bins>
struct BincountOp : Operation<BincountOp<Bins>> {
  template <ExprLike X, class W>
  static constexpr auto apply(ir::Builder& b, const X& x, const W& weights) {
    static_assert(
        sizeof(IndexIsInteger<is_integer(dtype_of<typename X::dtype>), BincountOp, typename X::dtype>) > 0);
    using T = dtype_of_operand<W>;
    using R = Expr<std::conditional_t<std::is_same_v<T, int>, i64, T>, Shape<Bins>>;
    const Dims flat = detail::flat_dims(X::shape::size);
    const ir::Value w =
        ir::reshape(ir::broadcast(detail::as_value<typename R::dtype>(b, weights), X::shape::value), flat);
    const ir::Value i = ir::reshape(detail::as_index(x.value), flat);
    const ir::Value outside = ir::binary(ir::Op::lt, i, ir::constant_like(i, 0));
    const ir::Value at = ir::select(outside, ir::constant_like(i, static_cast<double>(Bins)), i);
    return R{ir::scatter_reduce(at, w, 0, Bins, ir::Fold::sum)};
  }
};

// How many elements lie in each of Bins equal parts of [low, high], whose upper end belongs to the last.
template <i64 Bins>
struct HistcOp : Operation<HistcOp<Bins>> {
  template <ExprLike X, class A, class B>
  static constexpr auto apply(ir::Builder& b, const X& in, const A& low, const B& high) {
    const auto x = reshape<X::shape::size>(detail::real(in));
    using T = typename decltype(x)::dtype;
    const auto from = Expr<T, Shape<>>{detail::as_value<T>(b, low)};
    const auto to = Expr<T, Shape<>>{detail::as_value<T>(b, high)};
    const auto inside = bitwise_and(ge(x, from), le(x, to));
    const auto part = floor(mul(sub(x, from), div(Bins, sub(to, from))));
    const auto bin = where(inside, cast<i64>(where(inside, minimum(part, Bins - 1), 0)), Bins);
    return Expr<T, Shape<Bins>>{ir::scatter_reduce(bin.value, ir::constant(b, dtype_of<T>, x.value.dims(), 1),
                                                   0, Bins, ir::Fold::sum)};
  }
};

// Whether each element is one of `among`.
struct IsInOp : Operation<IsInOp> {
  template <class X, class A>
  static constexpr auto apply(ir::Builder& b, const X& x, const A& among) {
    if constexpr (detail::is_number<A>) {
      return eq(x, among);
    } else if constexpr (detail::is_number<X>) {
      return apply(b, detail::number_as_value(x, among), among);
    } else {
      const auto line = SortedOp<0, false, -1>::apply(b, ReshapeOp<A::shape::size>::apply(b, among));
      const auto at = SearchSortedOp<false>::apply(b, line, x);
      return eq(TakeFlatOp::apply(b, line, minimum(at, A::shape::size - 1)), x);
    }
  }
};

// masked_select<capacity>(x, mask), nonzero<capacity>(x): tuples of what was found and its number.
template <i64 Capacity, class X, class M>
constexpr auto masked_select(const X& x, const M& mask) {
  return std::tuple{MaskedSelectOp<Capacity, false>{}(x, mask), MaskedSelectOp<Capacity, true>{}(x, mask)};
}
template <i64 Capacity, class X>
constexpr auto nonzero(const X& x) {
  return std::tuple{NonzeroOp<Capacity, false>{}(x), NonzeroOp<Capacity, true>{}(x)};
}
// unique<capacity>(x): a tuple of the values in ascending order, their number, the place of every element of
// x among them, and how often each comes.
template <i64 Capacity, class X>
constexpr auto unique(const X& x) {
  return std::tuple{
      UniqueOp<Capacity, true, UniquePart::values>{}(x), UniqueOp<Capacity, true, UniquePart::count>{}(x),
      UniqueOp<Capacity, true, UniquePart::inverse>{}(x), UniqueOp<Capacity, true, UniquePart::counts>{}(x)};
}
template <i64 Capacity, class X>
constexpr auto unique_consecutive(const X& x) {
  return std::tuple{UniqueOp<Capacity, false, UniquePart::values>{}(x),
                    UniqueOp<Capacity, false, UniquePart::count>{}(x),
                    UniqueOp<Capacity, false, UniquePart::inverse>{}(x),
                    UniqueOp<Capacity, false, UniquePart::counts>{}(x)};
}
// bincount<bins>(x), bincount<bins>(x, weights); values outside [0, bins) are skipped.
template <i64 Bins, class X, class W = int>
constexpr auto bincount(const X& x, const W& weights = 1) {
  return BincountOp<Bins>{}(x, weights);
}
// histc<bins>(x, low, high); PyTorch finds low and high itself where both are 0, which this does not.
template <i64 Bins, class X, class A, class B>
constexpr auto histc(const X& x, const A& low, const B& high) {
  return HistcOp<Bins>{}(x, low, high);
}
template <class X, class A>
constexpr auto isin(const X& x, const A& among) {
  return IsInOp{}(x, among);
}

}  // namespace WEFT_NAMESPACE
