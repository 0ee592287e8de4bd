#pragma once
// Reductions along axes named at compile time: sum<1>(x), mean<-1, 0>(x), max<-1>(x), sum(x) over everything.
// keep_dims versions hold reduced axes at extent 1. Small floating types are summed in f32 and rounded once.

#include <concepts>

#include "weft/ops/shape/movement.hpp"

namespace WEFT_NAMESPACE {

// What: the shape reduced.
WEFT_REFUSAL(
    ReducedNotEmpty,
    "an axis that is reduced has extent 0: no element is the greatest or the least (sum, prod, mean, any "
    "and all have an answer)");

WEFT_REFUSAL(AxesDiffer, "an axis is named twice: each is reduced once");

namespace detail {

template <class S, int... A>
struct axes_rule {
  static constexpr bool ok = (axis_in_range(A, S::rank) && ... && true);
  static constexpr bool has_elements() { return count() > 0; }
  // Whether no axis is named twice.
  static constexpr bool distinct() {
    ir::Axes set = 0;
    bool twice = false;
    ((axis_in_range(A, S::rank) ? (twice = twice || (set >> normalize_axis(A, S::rank) & 1u),
                                   set |= 1u << normalize_axis(A, S::rank))
                                : set),
     ...);
    return !twice;
  }
  static constexpr ir::Axes make() {
    ir::Axes set = 0;
    ((set |= axis_in_range(A, S::rank) ? 1u << normalize_axis(A, S::rank) : 0u), ...);
    return sizeof...(A) == 0 ? ir::all_axes(S::rank) : set;
  }
  static constexpr ir::Axes axes = make();
  static constexpr i64 count() {
    i64 n = 1;
    for (int i = 0; i < S::rank; ++i) n *= axes >> i & 1u ? S::value.extent[i] : 1;
    return n;
  }
};
template <class S, bool Keep, int... A>
struct reduced_rule {
  static constexpr Dims value = Keep ? ir::reduced(S::value, axes_rule<S, A...>::axes)
                                     : ir::dropped(S::value, axes_rule<S, A...>::axes);
};

// The reduction itself, reduced axes kept.
constexpr ir::Value reduce_keep(ir::Op op, ir::Value x, ir::Axes axes) { return ir::reduce(op, x, axes); }

// 1 / n; of no elements 0 times it is NaN, and anything else infinite, as a division by 0.
constexpr double share_of(i64 n) {
  return n > 0 ? 1.0 / static_cast<double>(n) : std::numeric_limits<double>::infinity();
}

template <class T>
using sum_type = std::conditional_t<is_float(dtype_of<T>), T, i64>;

}  // namespace detail

// sum, prod, amax, amin. Integers and booleans sum in i64, as in PyTorch.
template <ir::Op op, bool Keep, int... A>
struct ReduceOp : Operation<ReduceOp<op, Keep, A...>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    using S = typename X::shape;
    using Rule = detail::axes_rule<S, A...>;
    static_assert(sizeof(AxesDiffer<Rule::distinct(), ReduceOp, S, GivenAxis<A>...>) > 0);
    constexpr bool chooses = op == ir::Op::reduce_max || op == ir::Op::reduce_min;
    static_assert(sizeof(ReducedNotEmpty < !chooses || !Rule::ok || Rule::has_elements(), ReduceOp, S >) > 0);
    return of_any(b, x);
  }
  // The same, the extremum of no elements being what lies beyond all numbers.
  template <class X>
  static constexpr auto of_any(ir::Builder&, const X& x) {
    using S = typename X::shape;
    using Rule = detail::axes_rule<S, A...>;
    static_assert(sizeof(AxisInRange<Rule::ok, ReduceOp, S>) > 0);
    constexpr bool adds = op == ir::Op::reduce_sum || op == ir::Op::reduce_prod;
    using T = std::conditional_t<adds, detail::sum_type<typename X::dtype>, typename X::dtype>;
    using R = shape_of<detail::reduced_rule<S, Keep, A...>>;
    ir::Value v = ir::cast(x.value, dtype_of<T>);
    return Expr<T, R>{ir::reshape(detail::reduce_keep(op, v, Rule::axes), R::value)};
  }
};

template <bool Keep, int... A>
struct MeanOp : Operation<MeanOp<Keep, A...>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    using T = opmath<typename X::dtype>;
    const auto total = ReduceOp<ir::Op::reduce_sum, Keep, A...>::apply(b, CastOp<T>::apply(b, x));
    const auto average =
        mul(total, static_cast<T>(detail::share_of(detail::axes_rule<typename X::shape, A...>::count())));
    return CastOp<floating<typename X::dtype>>::apply(b, average);
  }
};

// The variance; `C` is subtracted from the count (1: unbiased, PyTorch's default), which leaves at least 0.
template <bool Keep, int C, int... A>
struct VarianceOp : Operation<VarianceOp<Keep, C, A...>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    using T = opmath<typename X::dtype>;
    const auto wide = CastOp<T>::apply(b, x);
    const auto centred = sub(wide, MeanOp<true, A...>::apply(b, wide));
    const auto total = ReduceOp<ir::Op::reduce_sum, Keep, A...>::apply(b, mul(centred, centred));
    constexpr double share = detail::share_of(detail::axes_rule<typename X::shape, A...>::count() - C);
    return CastOp<floating<typename X::dtype>>::apply(b, mul(total, static_cast<T>(share)));
  }
};

WEFT_REFUSAL(
    AxisIsOne,
    "argmax, argmin, median, quantile and their like take one axis, argmax<1>(x), or none, which is all "
    "elements: flatten<0, 1>(x) makes one of several that follow one another");
// argmax, argmin along one axis, or over the flattened tensor; the first of equals; i64.
template <ir::Op op, bool Keep, int... A>
struct ArgReduceOp : Operation<ArgReduceOp<op, Keep, A...>> {
  static_assert(sizeof(AxisIsOne<sizeof...(A) <= 1, ArgReduceOp>) > 0);
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    using S = typename X::shape;
    static_assert(sizeof(ReducedNotEmpty < !detail::axes_rule<S, A...>::ok ||
                             detail::axes_rule<S, A...>::has_elements(),
                         ArgReduceOp, S >) > 0);
    if constexpr (sizeof...(A) == 0) {
      const auto flat = ReshapeOp<S::size>::apply(b, x);
      return Expr<i64, Shape<>>{ir::reshape(ir::reduce(op, flat.value, 1u), Dims{})};
    } else {
      using Rule = detail::axes_rule<S, A...>;
      static_assert(sizeof(AxisInRange<Rule::ok, ArgReduceOp, S>) > 0);
      using R = shape_of<detail::reduced_rule<S, Keep, A...>>;
      return Expr<i64, R>{ir::reshape(ir::reduce(op, x.value, Rule::axes), R::value)};
    }
  }
};

// Every reduction is written name<axes...>(x); name<axes...>(x, keepdim) keeps the reduced axes at extent 1.
struct KeepDim {};
inline constexpr KeepDim keepdim{};

// An axis in <>, counted from the end where it is negative. A truth value is none: it would be meant as
// keepdim and read as axis 1.
struct AxisIndex {
  int value;  // of an operand of n axes -n to n - 1

  template <std::integral I>
  requires(!std::is_same_v<I, bool>) constexpr AxisIndex(I axis) : value(static_cast<int>(axis)) {}
  constexpr operator int() const { return value; }
};

template <AxisIndex... A, class X>
constexpr auto sum(const X& x) {
  return ReduceOp<ir::Op::reduce_sum, false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto sum(const X& x, KeepDim) {
  return ReduceOp<ir::Op::reduce_sum, true, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto prod(const X& x) {
  return ReduceOp<ir::Op::reduce_prod, false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto prod(const X& x, KeepDim) {
  return ReduceOp<ir::Op::reduce_prod, true, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto max(const X& x) {
  return ReduceOp<ir::Op::reduce_max, false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto max(const X& x, KeepDim) {
  return ReduceOp<ir::Op::reduce_max, true, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto min(const X& x) {
  return ReduceOp<ir::Op::reduce_min, false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto min(const X& x, KeepDim) {
  return ReduceOp<ir::Op::reduce_min, true, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto mean(const X& x) {
  return MeanOp<false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto mean(const X& x, KeepDim) {
  return MeanOp<true, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto argmax(const X& x) {
  return ArgReduceOp<ir::Op::argmax, false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto argmax(const X& x, KeepDim) {
  return ArgReduceOp<ir::Op::argmax, true, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto argmin(const X& x) {
  return ArgReduceOp<ir::Op::argmin, false, A...>{}(x);
}
template <AxisIndex... A, class X>
constexpr auto argmin(const X& x, KeepDim) {
  return ArgReduceOp<ir::Op::argmin, true, A...>{}(x);
}
// Options of var, stddev, var_mean and std_mean beside `keepdim`, in any order: correction<c> is subtracted
// from the count that a variance divides by (1 where nothing is said); biased is correction<0>.
struct Biased {};
inline constexpr Biased biased{};
template <int C>
struct Correction {};
template <int C>
inline constexpr Correction<C> correction{};

WEFT_REFUSAL(
    SpreadOptionsKnown,
    "the options of var, stddev, var_mean and std_mean are keepdim and one of biased, correction<c>, words "
    "behind the operand; axes stand in <>, var_mean<1>(x), stddev<1>(x, biased)");

namespace detail {

template <class Option>
inline constexpr bool corrects = false;
template <>
inline constexpr bool corrects<Biased> = true;
template <int C>
inline constexpr bool corrects<Correction<C>> = true;

constexpr int correction_in(Biased) { return 0; }
template <int C>
constexpr int correction_in(Correction<C>) {
  return C;
}
constexpr int correction_in(...) { return 1; }

template <class... Option>
struct SpreadOptions {
  static constexpr int kept = ((std::is_same_v<Option, KeepDim> ? 1 : 0) + ... + 0);
  static constexpr int corrected = ((corrects<Option> ? 1 : 0) + ... + 0);
  static constexpr bool ok = kept <= 1 && corrected <= 1 && kept + corrected == sizeof...(Option);
  static_assert(sizeof(SpreadOptionsKnown<ok, Option...>) > 0);
  static constexpr bool keep = kept > 0;
  static constexpr int make() {
    int c = 1;
    ((c = corrects<Option> ? correction_in(Option{}) : c), ...);
    return c;
  }
  static constexpr int correction = make();
};

}  // namespace detail

// var<axes...>(x), var<axes...>(x, correction<0>, keepdim)
template <AxisIndex... A, class X, class... Option>
constexpr auto var(const X& x, const Option&...) {
  using Given = detail::SpreadOptions<Option...>;
  return VarianceOp<Given::keep, Given::correction, A...>{}(x);
}

}  // namespace WEFT_NAMESPACE
