#pragma once
// ctc_loss: connectionist temporal classification (Graves et al., 2006), as torch.nn.functional.ctc_loss. The
// recursion over time is one loop of the graph, in log space, so that a sequence of 1000 costs as much to
// compile as one of 10. Law: the loss is -log of the summed probability of all alignments of the targets.

#include <limits>

#include "weft/ops/index/gather.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/shape/concat.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/transform/loop.hpp"

namespace WEFT_NAMESPACE {

// What: the shapes of log_probs, targets, input_lengths and target_lengths.
WEFT_REFUSAL(CtcShapesFit,
             "ctc_loss: log_probs are (T, N, C), targets (N, S), input_lengths and target_lengths (N); of "
             "one sequence (T, C), (S), () and ()");
WEFT_REFUSAL(CtcDtypesFit, "ctc_loss: log_probs must be floats, targets and lengths integers (i32 or i64)");

namespace detail {

inline constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// (T, N, C), (N, S) from either form.
template <class X, class Y, class I, class L>
struct ctc_rule {
  static constexpr bool batched = X::rank == 3;
  static constexpr i64 axis(const Dims& d, int k) { return k < d.rank ? d.extent[k] : 1; }
  static constexpr i64 steps = axis(X::value, 0);
  static constexpr i64 batch = batched ? axis(X::value, 1) : 1;
  static constexpr i64 classes = axis(X::value, batched ? 2 : 1);
  static constexpr i64 labels = axis(Y::value, batched ? 1 : 0);
  static constexpr int lead = batched ? 1 : 0;
  static constexpr bool ok = (X::rank == 2 || batched) && classes > 0 && Y::rank == lead + 1 &&
                             I::rank == lead&& L::rank == lead &&
                             (!batched ||
                              (Y::value[0] == batch && I::value[0] == batch && L::value[0] == batch));
  using each = std::conditional_t<batched, Shape<batch>, Shape<>>;
};

// log(exp(a) + ...): minus infinity, with no gradient, where all of them are.
template <class A, class... More>
constexpr auto log_of_sum(const A& a, const More&... more) {
  auto top = stop_gradient(a);
  ((top = maximum(top, stop_gradient(more))), ...);
  const auto none = eq(top, minus_infinity);
  const auto shift = where(none, 0, top);
  auto total = exp(sub(a, shift));
  ((total = add(total, exp(sub(more, shift)))), ...);
  return where(none, minus_infinity, add(log(where(none, 1, total)), shift));
}

// log p(labels | log_probs) of each sequence (N). The labels with a blank before, between and behind them are
// the states (N, 2 S + 1); a path stays, moves on by one state, or by two to a label that differs from the
// label before. Padding is not read: what stands there may be anything.
template <class Rule, class X, class Y, class I, class C, class B>
constexpr auto ctc_log_likelihood(const X& log_probs, const Y& labels, const I& steps, const C& counts,
                                  const B& blank) {
  constexpr i64 n = Rule::batch, s = Rule::labels, states = 2 * s + 1;
  using Label = typename Y::dtype;
  const auto given = where(lt(arange<Label, s>(), reshape<n, 1>(counts)), labels, blank);  // (N, S)
  const auto state = pad<0, 1>(reshape<n, 2 * s>(stack<2>(full_like(given, blank), given)), blank);
  const auto emitted = take_along_dim<2>(log_probs, reshape<1, n, states>(state));  // (T, N, states)
  const auto time = arange<typename I::dtype, Rule::steps>();
  const auto inside = lt(reshape<Rule::steps, 1, 1>(time), reshape<1, n, 1>(steps));  // (T, N, 1)
  const auto place = arange<Label, states>();
  // before the first step every path stands on the first blank
  const auto first = where(eq(place, 0), zeros<typename X::dtype, n, states>(), minus_infinity);
  const auto step = [&](const auto& before, const auto& log_p, const auto& counts_here) {
    const auto one = pad<1, -1>(before, minus_infinity);
    const auto next = [&] {
      if constexpr (s > 0) {
        const auto differs = bitwise_and(ne(state, blank), ne(state, pad<2, -2>(state, blank)));
        return log_of_sum(before, one, where(differs, pad<2, -2>(before, minus_infinity), minus_infinity));
      } else {
        return log_of_sum(before, one);
      }
    }();
    return where(counts_here, add(next, log_p), before);
  };
  const auto last = loop(step, first, where(inside, emitted, 0), inside);
  // a path ends on the last label or on the blank behind it
  const auto end = reshape<n, 1>(mul(counts, 2));
  const auto ends = bitwise_and(le(place, end), le(sub(end, 1), place));
  const auto paths = where(ends, last, minus_infinity);
  const auto top = stop_gradient(max<1>(paths, keepdim));
  const auto none = eq(top, minus_infinity);
  const auto shift = where(none, 0, top);
  const auto total = sum<1>(exp(sub(paths, shift)), keepdim);
  return reshape<n>(where(none, minus_infinity, add(log(where(none, 1, total)), shift)));
}

}  // namespace detail

template <LossReduction R>
struct CtcLossOp : Operation<CtcLossOp<R>> {
  template <ExprLike X, ExprLike Y, ExprLike I, ExprLike L, class B, class Z>
  static constexpr auto apply(ir::Builder& b, const X& log_probs, const Y& targets, const I& input_lengths,
                              const L& target_lengths, const B& blank, const Z& zero_infinity) {
    using Rule = detail::ctc_rule<typename X::shape, typename Y::shape, typename I::shape, typename L::shape>;
    static_assert(sizeof(CtcShapesFit<Rule::ok, CtcLossOp, typename X::shape, typename Y::shape,
                                      typename I::shape, typename L::shape>) > 0);
    constexpr bool typed = is_float(dtype_of<typename X::dtype>) && is_label<Y> && is_label<I> && is_label<L>;
    static_assert(sizeof(CtcDtypesFit<typed, CtcLossOp, typename X::dtype, typename Y::dtype,
                                      typename I::dtype, typename L::dtype>) > 0);
    using Result = std::conditional_t<R == LossReduction::none, typename Rule::each, Shape<>>;
    if constexpr (Rule::ok && typed) {
      constexpr i64 n = Rule::batch;
      const auto wide =
          reshape<Rule::steps, n, Rule::classes>(CastOp<opmath<typename X::dtype>>::apply(b, log_probs));
      const auto labels = reshape<n, Rule::labels>(targets);
      const auto steps = reshape<n>(input_lengths);
      const auto counts = cast<typename Y::dtype>(reshape<n>(target_lengths));
      const auto loss = neg(detail::ctc_log_likelihood<Rule>(wide, labels, steps, counts, blank));
      const Expr<bool, Shape<>> zeroes{detail::as_value<bool>(b, zero_infinity)};
      const auto endless = bitwise_and(eq(loss, -detail::minus_infinity), zeroes);
      const auto outside = bitwise_or(bitwise_or(lt(steps, 0), gt(steps, Rule::steps)),
                                      bitwise_or(lt(counts, 0), gt(counts, Rule::labels)));
      const auto each = where(outside, std::numeric_limits<double>::quiet_NaN(), where(endless, 0, loss));
      return CastOp<typename X::dtype>::apply(b, reduced<Rule>(each, counts));
    } else {
      return detail::refused<typename X::dtype, Result>(log_probs, targets, input_lengths, target_lengths);
    }
  }

 private:
  template <class E>
  static constexpr bool is_label =
      std::is_same_v<typename E::dtype, i32> || std::is_same_v<typename E::dtype, i64>;

  // The mean is over what each label costs.
  template <class Rule>
  static constexpr auto reduced(const auto& loss, const auto& counts) {
    if constexpr (R == LossReduction::none) {
      using S = typename Rule::each;
      return Expr<typename std::remove_cvref_t<decltype(loss)>::dtype, S>{ir::reshape(loss.value, S::value)};
    } else if constexpr (R == LossReduction::mean) {
      return mean<>(div(loss, maximum(counts, 1)));
    } else {
      return detail::reduced_loss<R>(loss);
    }
  }
};

// blank: the class that stands for no label. zero_infinity: a sequence too short for its targets, whose loss
// is infinite, counts as 0.
struct CtcOptions {
  i64 blank = 0;               // the class that stands for no label
  bool zero_infinity = false;  // a target that cannot be reached has loss and gradient 0, not inf
};

// ctc_loss(log_probs, targets, input_lengths, target_lengths, {.zero_infinity = true}): log_probs (T, N, C)
// are log probabilities, such as log_softmax<-1> gives; targets (N, S) hold classes other than the blank, i32
// or i64, and are padded; the lengths are (N). Of one sequence (T, C), (S), () and (). The mean divides each
// loss by its number of targets (at least 1), then by N. The gradient is that with respect to log_probs;
// PyTorch's adds exp(log_probs), which a log_softmax before takes away again. An infinite loss has gradient
// zero (PyTorch: NaN); a length or a class outside its range gives NaN (PyTorch: an error, or nothing).
template <LossReduction R = reduction::mean, class X, class Y, class I, class L>
constexpr auto ctc_loss(const X& log_probs, const Y& targets, const I& input_lengths, const L& target_lengths,
                        CtcOptions options = {}) {
  return CtcLossOp<R>{}(log_probs, targets, input_lengths, target_lengths, options.blank,
                        options.zero_infinity);
}

}  // namespace WEFT_NAMESPACE
