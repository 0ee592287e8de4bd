#pragma once
// Writing by index along an axis, with PyTorch's names. Everything gives a new tensor. Law: updates of one
// place count in the order of the indices, so that results are the same every time and the last of several
// values set is the one that stays. Negative indices count from the end; those outside are skipped.

#include "weft/ops/core/written.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/math/composed.hpp"

namespace WEFT_NAMESPACE {

// How several updates of one place become one: scatter_reduce<0>(x, index, src, reduce::amax).
enum class Reduction { sum, prod, mean, amax, amin };
template <Reduction R>
struct ReduceBy {};
namespace reduce {
// Added up.
inline constexpr ReduceBy<Reduction::sum> sum{};
// Multiplied.
inline constexpr ReduceBy<Reduction::prod> prod{};
// Their mean.
inline constexpr ReduceBy<Reduction::mean> mean{};
// The greatest.
inline constexpr ReduceBy<Reduction::amax> amax{};
// The least.
inline constexpr ReduceBy<Reduction::amin> amin{};
}  // namespace reduce
// What was there before does not count where there is an update.
struct ExcludeSelf {};
inline constexpr ExcludeSelf exclude_self{};

WEFT_REFUSAL(
    UpdateFits,
    "the updates do not fit: indices and updates have an axis for each of the tensor's, an index takes an "
    "update, and off the axis neither may be longer than the tensor; rows by a vector of indices are "
    "index_add<0>(x, i, rows) and index_copy<0>(x, i, rows)");

WEFT_REFUSAL(UpdateIsIndexed,
             "index_add, index_copy and index_reduce take one slice of the updates for each index: along the "
             "axis the updates are as long as the index");

namespace detail {

// The index and the updates laid out alike, and the shape between them and x.
template <class X, class I, class U, int Axis>
struct scatter_rule {
  static constexpr bool check() {
    if (!axis_in_range(Axis, X::rank) || X::rank != I::rank) return false;
    for (int k = 0; k < X::rank; ++k) {
      if (k != normalize_axis(Axis, X::rank) && I::value.extent[k] > X::value.extent[k]) return false;
      if (U::rank != 0 && (U::rank != I::rank || I::value.extent[k] > U::value.extent[k])) return false;
    }
    return true;
  }
  static constexpr bool ok = check();
};

// A scattered value grown to x's extents: off the axis the index may be shorter than x.
constexpr ir::Value grown(ir::Value v, const Dims& to, double fill) {
  i64 widths[16]{};
  for (int k = 0; k < to.rank; ++k) widths[2 * k + 1] = to.extent[k] - v.dims().extent[k];
  return ir::pad(v, widths, fill);
}

constexpr double fold_fill(ir::Fold fold, DType t) {
  if (fold == ir::Fold::sum) return 0;
  if (fold == ir::Fold::prod) return 1;
  const double most = is_float(t)       ? std::numeric_limits<double>::infinity()
                      : t == DType::i64 ? 9223372036854775808.0  // least as -2^63; minima are taken of ~x
                                        : 2147483647.0;
  return fold == ir::Fold::max ? -most : most;
}

// How many updates each place of x gets.
constexpr ir::Value update_counts(ir::Value index, const Dims& x, int axis, DType t) {
  const ir::Value one = ir::constant(*index.builder, t, index.dims(), 1);
  return grown(ir::scatter_reduce(index, one, axis, x.extent[axis], ir::Fold::sum), x, 0);
}

constexpr ir::Value scatter_set(ir::Value x, ir::Value index, ir::Value update, int axis) {
  const Dims d = x.dims(), di = index.dims();
  ir::Builder& b = *x.builder;
  const ir::Value order{&b, b.leaf(ir::Op::iota, DType::i32, di, static_cast<u64>(axis))};
  const ir::Value last = ir::scatter_reduce(index, order, axis, d.extent[axis], ir::Fold::max);
  const ir::Value touched = ir::binary(ir::Op::le, ir::constant_like(last, 0), last);
  if (update.dims().rank == 0) return ir::select(grown(touched, d, 0), ir::broadcast(update, d), x);
  const ir::Value value = ir::take_along_axis(update, last, axis, true);
  return ir::select(grown(touched, d, 0), grown(value, d, 0), x);
}

// sum / count, of integers rounded down, as PyTorch's.
constexpr ir::Value mean_of(ir::Value sum, ir::Value count) {
  const ir::Value mean = sum / count;
  if (!is_integer(sum.dtype())) return mean;
  const ir::Value rest = sum - mean * count;
  return ir::select(ir::binary(ir::Op::lt, rest, ir::constant_like(rest, 0)), mean - 1.0, mean);
}
constexpr ir::Value scatter_fold(ir::Value x, ir::Value index, ir::Value update, int axis, Reduction how,
                                 bool self) {
  // in the dtype that scatter folds in, where the neutral element of what is not touched still is one
  const DType wide = ir::reduction_dtype(x.dtype());
  if (wide != x.dtype())
    return ir::cast(scatter_fold(ir::cast(x, wide), index, ir::cast(update, wide), axis, how, self),
                    x.dtype());
  if (x.dtype() == DType::i64 && how == Reduction::amin) {  // 2^63 - 1 is no double, -2^63 is
    const auto complement = [](ir::Value v) { return -1.0 - v; };
    return complement(scatter_fold(complement(x), index, complement(update), axis, Reduction::amax, self));
  }
  const Dims d = x.dims();
  const ir::Fold fold = how == Reduction::prod   ? ir::Fold::prod
                        : how == Reduction::amax ? ir::Fold::max
                        : how == Reduction::amin ? ir::Fold::min
                                                 : ir::Fold::sum;
  ir::Value r =
      grown(ir::scatter_reduce(index, update, axis, d.extent[axis], fold), d, fold_fill(fold, x.dtype()));
  ir::Value counts;
  if (!self || how == Reduction::mean) counts = update_counts(index, d, axis, x.dtype());
  if (self) {
    r = ir::binary(fold == ir::Fold::prod  ? ir::Op::mul
                   : fold == ir::Fold::max ? ir::Op::max
                   : fold == ir::Fold::min ? ir::Op::min
                                           : ir::Op::add,
                   x, r);
    return how == Reduction::mean ? mean_of(r, counts + 1.0) : r;
  }
  const ir::Value touched = ir::binary(ir::Op::ne, counts, ir::constant_like(counts, 0));
  if (how == Reduction::mean) r = mean_of(r, ir::select(touched, counts, ir::constant_like(counts, 1)));
  return ir::select(touched, r, x);
}

template <class U, class Otherwise>
struct update_dtype {
  using type = Otherwise;
};
template <ExprLike U, class Otherwise>
struct update_dtype<U, Otherwise> {
  using type = dtype_of_operand<U>;
};

// Checks the operands, lays them out and calls `work(x, index, update, axis)`.
template <class Op, int Axis, class X, class I, class U, class Work>
constexpr auto scattered(ir::Builder& b, const X& x, const I& index, const U& update, Work work) {
  using Rule = scatter_rule<typename X::shape, typename I::shape, shape_of_operand<U>, Axis>;
  constexpr bool integer =
      index_is_integer<Op, typename I::dtype, typename update_dtype<U, typename I::dtype>::type>();
  static_assert(sizeof(UpdateFits<Rule::ok, Op, typename X::shape, typename I::shape, shape_of_operand<U>>) >
                0);
  if constexpr (Rule::ok && integer) {
    using T = typename X::dtype;
    const ir::Value u = written<Op, T>(b, update);
    const ir::Value fitting = u.dims().rank == 0 ? u : cropped(u, I::shape::value);
    return X{work(x.value, as_index(index.value), fitting, normalize_axis(Axis, X::rank))};
  } else {
    return x;
  }
}

// A vector of indices, one for each slice of the updates.
template <int Axis>
struct SpreadIndex : Operation<SpreadIndex<Axis>> {
  template <ExprLike X, ExprLike I, class U>
  static constexpr auto apply(ir::Builder& b, const X& x, const I& index, const U&) {
    using S = shape_of_operand<U>;
    constexpr bool paired = S::rank != X::rank || !axis_in_range(Axis, X::rank) ||
                            S::value[normalize_axis(Axis, X::rank)] == I::shape::size;
    static_assert(sizeof(UpdateIsIndexed<paired, SpreadIndex, typename X::shape, typename I::shape, S>) > 0);
    return apply(b, x, index);
  }
  template <ExprLike X, ExprLike I>
  static constexpr auto apply(ir::Builder&, const X& x, const I& index) {
    using Rule = selected_rule<typename X::shape, Axis, I::shape::size>;
    static_assert(sizeof(AxisInRange<Rule::ok, SpreadIndex, typename X::shape>) > 0);
    static_assert(sizeof(RankIs<I::rank <= 1, SpreadIndex, typename I::shape, GivenRank<1>>) > 0);
    using R = Expr<typename I::dtype, shape_of<Rule>>;
    if constexpr (Rule::ok && I::rank <= 1)
      return R{along(index.value, X::shape::value, Rule::axis)};
    else
      return refused<typename R::dtype, typename R::shape>(x, index);
  }
};

}  // namespace detail

template <int Axis>
struct ScatterOp : Operation<ScatterOp<Axis>> {
  template <ExprLike X, ExprLike I, class U>
  static constexpr auto apply(ir::Builder& b, const X& x, const I& index, const U& update) {
    return detail::scattered<ScatterOp, Axis>(
        b, x, index, update,
        [](ir::Value v, ir::Value i, ir::Value u, int axis) { return detail::scatter_set(v, i, u, axis); });
  }
};

template <int Axis, Reduction How, bool Self>
struct ScatterReduceOp : Operation<ScatterReduceOp<Axis, How, Self>> {
  template <ExprLike X, ExprLike I, class U>
  static constexpr auto apply(ir::Builder& b, const X& x, const I& index, const U& update) {
    return detail::scattered<ScatterReduceOp, Axis>(
        b, x, index, update, [](ir::Value v, ir::Value i, ir::Value u, int axis) {
          return detail::scatter_fold(v, i, ir::broadcast(u, i.dims()), axis, How, Self);
        });
  }
};

// scatter<axis>(x, index, src): x with src, a tensor or a number, at index along the axis.
template <int Axis, class X, class I, class U>
constexpr auto scatter(const X& x, const I& index, const U& src) {
  return ScatterOp<Axis>{}(x, index, detail::fitting<detail::dtype_in_type<X>>(src));
}
template <int Axis, class X, class I, class U>
constexpr auto scatter_add(const X& x, const I& index, const U& src) {
  return ScatterReduceOp<Axis, Reduction::sum, true>{}(x, index, src);
}
template <int Axis, class X, class I, class U, Reduction How>
constexpr auto scatter_reduce(const X& x, const I& index, const U& src, ReduceBy<How>) {
  return ScatterReduceOp<Axis, How, true>{}(x, index, src);
}
template <int Axis, class X, class I, class U, Reduction How>
constexpr auto scatter_reduce(const X& x, const I& index, const U& src, ReduceBy<How>, ExcludeSelf) {
  return ScatterReduceOp<Axis, How, false>{}(x, index, src);
}
// index_add<axis>(x, index, src, alpha): slices of alpha src added by a vector of indices; index_copy sets
// them, index_fill sets a number, index_reduce folds them.
template <int Axis, class X, class I, class U, class A = int>
constexpr auto index_add(const X& x, const I& index, const U& src, const A& alpha = 1) {
  return ScatterReduceOp<Axis, Reduction::sum, true>{}(x, detail::SpreadIndex<Axis>{}(x, index, src),
                                                       mul(src, alpha));
}
template <int Axis, class X, class I, class U>
constexpr auto index_copy(const X& x, const I& index, const U& src) {
  return ScatterOp<Axis>{}(x, detail::SpreadIndex<Axis>{}(x, index, src), src);
}
template <int Axis, class X, class I, class V>
constexpr auto index_fill(const X& x, const I& index, const V& value) {
  return ScatterOp<Axis>{}(x, detail::SpreadIndex<Axis>{}(x, index),
                           detail::fitting<detail::dtype_in_type<X>>(value));
}
template <int Axis, class X, class I, class U, Reduction How>
constexpr auto index_reduce(const X& x, const I& index, const U& src, ReduceBy<How>) {
  return ScatterReduceOp<Axis, How, true>{}(x, detail::SpreadIndex<Axis>{}(x, index, src), src);
}
template <int Axis, class X, class I, class U, Reduction How>
constexpr auto index_reduce(const X& x, const I& index, const U& src, ReduceBy<How>, ExcludeSelf) {
  return ScatterReduceOp<Axis, How, false>{}(x, detail::SpreadIndex<Axis>{}(x, index, src), src);
}

}  // namespace WEFT_NAMESPACE
