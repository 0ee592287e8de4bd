#pragma once
// attention(q, k, v, score, mask, tensors...): attention whose scores and mask are functions of one score
// (FlexAttention's score_mod and mask_mod), traced and differentiated like everything else. Law: it is the
// composition softmax(where(mask(b, h, i, j), score(q k^T scale, b, h, i, j), -inf)) v, and gradients reach
// every float tensor that a function reads.
//
// (Dong, Feng, Guessous, Liang, He: Flex Attention, 2024.)

#include "weft/core/takes.hpp"
#include "weft/ops/index/captured_tensor.hpp"
#include "weft/ops/nn/attention.hpp"
#include "weft/ops/transform/vmap.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(AttentionHasHeads,
             "attention: query (B, Hq, L, E), key (B, H, S, E) and value (B, H, S, Ev) have four axes: "
             "unsqueeze<0>(q) adds one");
WEFT_REFUSAL(
    ScoreTakes,
    "attention: behind query, key and value come score(s, b, h, i, j), mask(b, h, i, j) or both in "
    "this order, then the tensors that every function takes behind its own: [](auto s, auto b, auto h, "
    "auto i, auto j, auto slopes) { return s + slopes[h] * (j - i); }, slopes");
WEFT_REFUSAL(
    ScoreIsNumber,
    "attention: score returns one number, such as s + slopes[h] * (j - i): it reads a tensor by all of "
    "its indices, and a condition is the mask's");
WEFT_REFUSAL(
    MaskIsCondition,
    "attention: mask returns one bool, such as j <= i, combined by & and |: it reads a tensor by all "
    "of its indices");
WEFT_REFUSAL(
    MaskIsComputed,
    "attention: mask returns a plain bool, which is decided while the program compiles: a traced value has "
    "no truth value, so return the condition itself, j <= i, combined by & and |, in place of if and &&");
WEFT_REFUSAL(ScoreCapturesNothing,
             "attention: a function that is applied to run-time tensors captures nothing: give what it reads "
             "behind the functions, attention(q, k, v, score, slopes), and it takes that behind its own");

struct AttentionFunction {};  // what messages name

namespace detail {

// In place of a function that is left out.
struct NoFunction {};

template <class F>
inline constexpr bool is_function = !Operand<F> && std::is_class_v<F> && !is_tuple_like<F>;
template <class N>
inline constexpr bool is_function<KeyLengths<N>> = false;

// What a function takes of a tensor: a number stays one.
template <class A>
constexpr auto captured(const A& a) {
  if constexpr (ExprLike<A>)
    return CapturedTensor{to_expr(a)};
  else
    return a;
}
template <class A>
using captured_type = decltype(captured(std::declval<const entered_type<A>&>()));

using Place = Expr<i32, Shape<>>;
template <class F, class... A>
inline constexpr bool is_score_function =
    takes<F, Expr<f32, Shape<>>, Place, Place, Place, Place, captured_type<A>...>();
template <class F, class... A>
inline constexpr bool is_mask_function = takes<F, Place, Place, Place, Place, captured_type<A>...>();

template <class... A>
inline constexpr bool both_functions = false;
template <class Score, class Mask, class... A>
inline constexpr bool both_functions<Score, Mask, A...> =
    is_function<Score>&& is_function<Mask> && !(is_function<A> || ...) && is_score_function<Score, A...> &&
    is_mask_function<Mask, A...>;

// A function of single scores for all of them. Grid: (B, H, L, S); s: the scores, or none.
template <class Grid, class Result>
struct ForEachScore {
  template <int Axis>
  static constexpr auto places(ir::Builder& b) {
    constexpr i64 n = Grid::value.extent[Axis];
    return Expr<i32, Shape<n>>{ir::Value{&b, b.leaf(ir::Op::iota, DType::i32, Shape<n>::value, 0)}};
  }
  // f(place, sample of s) for every place along the Axis-th axis.
  template <int Axis, class F, class... S>
  static constexpr auto along(ir::Builder& b, const F& f, const S&... s) {
    return vmap<0, (static_cast<void>(sizeof(S)), 0)...>(f)(places<Axis>(b), s...);
  }
  template <class F, class... S>
  static constexpr auto call(ir::Builder& builder, const F& f, const S&... scores) {
    return along<0>(
        builder,
        [&](const auto& b, const auto&... of_b) {
          return along<1>(
              builder,
              [&](const auto& h, const auto&... of_h) {
                return along<2>(
                    builder,
                    [&](const auto& i, const auto&... of_i) {
                      return along<3>(
                          builder,
                          [&](const auto& j, const auto&... s) { return cast<Result>(f(s..., b, h, i, j)); },
                          of_i...);
                    },
                    of_h...);
              },
              of_b...);
        },
        scores...);
  }
};

}  // namespace detail

// With `Lengths`, those of the keys come in front of the tensors.
template <AttentionOptions Options, class Score, class Mask, bool Lengths>
struct AttentionOp : Operation<AttentionOp<Options, Score, Mask, Lengths>> {
  template <class F>
  static constexpr bool given = !std::is_same_v<F, detail::NoFunction>;

  template <ExprLike Q, ExprLike K, ExprLike V, class... A>
  static constexpr auto apply(ir::Builder& b, const Q& q, const K& k, const V& v, const A&... tensors) {
    return attend(b, Score{}, Mask{}, q, k, v, tensors...);
  }
  template <class Q, class K, class V, class... A>
  static constexpr auto attend(ir::Builder& b, const Score& score, const Mask& mask, const Q& q, const K& k,
                               const V& v, const A&... more) {
    if constexpr (Lengths)
      return attend_keys(b, score, mask, q, k, v, more...);
    else
      return attend_keys(b, score, mask, q, k, v, detail::AllKeys{}, more...);
  }
  template <class Q, class K, class V, class L, class... A>
  static constexpr auto attend_keys(ir::Builder& b, const Score& score, const Mask& mask, const Q& q,
                                    const K& k, const V& v, const L& lengths, const A&... tensors) {
    using QS = typename Q::shape;
    using KS = typename K::shape;
    using VS = typename V::shape;
    using Rule = detail::attention_rule<QS, KS, VS, Options.enable_gqa>;
    using T = floating<promoted<promoted<typename Q::dtype, typename K::dtype>, typename V::dtype>>;
    using R = Expr<T, shape_of<Rule>>;
    using Products = detail::AttentionProducts<Rule, T>;
    using Wide = typename Products::Wide;
    constexpr bool heads = QS::rank == 4 && KS::rank == 4 && VS::rank == 4;
    static_assert(sizeof(AttentionHasHeads<heads, AttentionFunction, QS, KS, VS>) > 0);
    static_assert(sizeof(AttentionHeadsFit < Rule::heads || !heads, AttentionFunction, QS, KS, VS >) > 0);
    static_assert(sizeof(AttentionOperandsFit < Rule::fits || !Rule::heads || !heads, AttentionFunction, QS,
                         KS, VS >) > 0);
    if constexpr (!heads || !Rule::ok) {
      return detail::refused<T, typename R::shape>(q, k, v);
    } else if constexpr (!functions_fit<Wide, A...>() ||
                         !detail::check_lengths<AttentionOp, typename Products::Scores, L>()) {
      return detail::refused<T, typename R::shape>(q, k, v);
    } else {
      using Grid = typename Products::Scores;
      const auto see = [&](ir::Builder& builder, const auto& product) {
        constexpr double nothing = -std::numeric_limits<double>::infinity();
        auto scores = product;
        if constexpr (given<Score>)
          scores = detail::ForEachScore<Grid, Wide>::call(
              builder, [&](const auto&... place) { return score(place..., detail::captured(tensors)...); },
              scores);
        if constexpr (given<Mask>)
          scores =
              where(detail::ForEachScore<Grid, bool>::call(
                        builder,
                        [&](const auto&... place) { return mask(place..., detail::captured(tensors)...); }),
                    scores, nothing);
        if constexpr (Options.is_causal)
          scores = where(detail::causal_mask<Rule::length, Rule::keys>(builder), scores, nothing);
        return detail::in_front_of(builder, scores, lengths);
      };
      using Region = detail::AttentionRegion<Rule, T>;
      if constexpr (Region::fits) {
        const ir::Value y = Region::attend(b, q.value, k.value, v.value, Options.scale,
                                           [&](ir::Builder& trace, const auto& all) {
                                             return detail::SeenScores{see(trace, all), detail::NoFactor{}};
                                           });
        if (y) return R{y};
      }
      const auto scores = see(b, Products::scores(q.value, k.value, Options.scale));
      return R{Products::mixed(cast<T>(detail::masked_softmax(scores)).value, v.value).value};
    }
  }

 private:
  template <class Wide, class... A>
  static constexpr bool functions_fit() {
    if constexpr (given<Score>) {
      using Y = decltype(std::declval<const Score&>()(std::declval<Expr<Wide, Shape<>>>(), detail::Place{},
                                                      detail::Place{}, detail::Place{}, detail::Place{},
                                                      std::declval<detail::captured_type<A>>()...));
      static_assert(sizeof(ScoreIsNumber<is_number<Y>(), AttentionFunction, Y>) > 0);
      if constexpr (!is_number<Y>()) return false;
    }
    if constexpr (given<Mask>) {
      using Y =
          decltype(std::declval<const Mask&>()(detail::Place{}, detail::Place{}, detail::Place{},
                                               detail::Place{}, std::declval<detail::captured_type<A>>()...));
      static_assert(sizeof(MaskIsComputed<!std::is_arithmetic_v<Y>, AttentionFunction, Y>) > 0);
      static_assert(sizeof(MaskIsCondition<is_condition<Y>(), AttentionFunction, Y>) > 0);
      if constexpr (!is_condition<Y>()) return false;
    }
    return true;
  }
  template <class Y>
  static constexpr bool is_one() {
    if constexpr (ExprLike<Y>)
      return expr_of<Y>::shape::rank == 0;
    else
      return false;
  }
  template <class Y>
  static constexpr bool is_number() {
    if constexpr (is_one<Y>())
      return !std::is_same_v<typename expr_of<Y>::dtype, bool>;
    else
      return false;
  }
  template <class Y>
  static constexpr bool is_condition() {
    if constexpr (is_one<Y>())
      return std::is_same_v<typename expr_of<Y>::dtype, bool>;
    else
      return false;
  }
};

namespace detail {

template <AttentionOptions Options, bool Lengths = false, class Score, class Mask, class... A>
constexpr auto attend(const Score& score, const Mask& mask, const A&... operands) {
  using Op = AttentionOp<Options, Score, Mask, Lengths>;
  constexpr bool traced = (ExprLike<A> || ...);
  if constexpr (std::is_empty_v<Score> && std::is_empty_v<Mask>) {
    return Op{}(operands...);
  } else {
    static_assert(sizeof(ScoreCapturesNothing<traced, Score, Mask>) > 0);
    if constexpr (traced) {
      ir::Builder* found = nullptr;
      ((found = inner_of(found, builder_of(operands))), ...);
      ir::Builder& b = found->innermost();
      return Op::attend(b, score, mask, detail::traced(b, operands)...);
    } else {
      return AfterRefusal{};
    }
  }
}
// What stands in front of the functions.
template <AttentionOptions Options, class Q, class K, class V, class N = AllKeys>
struct AttentionOperands {
  const Q& query;
  const K& key;
  const V& value;
  N lengths{};

  template <class Score, class Mask, class... A>
  constexpr auto attend_by(const Score& score, const Mask& mask, const A&... tensors) const {
    if constexpr (has_lengths<N>)
      return attend<Options, true>(score, mask, query, key, value, lengths, tensors...);
    else
      return attend<Options>(score, mask, query, key, value, tensors...);
  }
  // Score, mask and tensors; anything else is refused.
  template <class... A>
  constexpr auto both(const A&... a) const {
    static_assert(sizeof(ScoreTakes<both_functions<A...>, A...>) > 0);
    if constexpr (both_functions<A...>)
      return attend_by(a...);
    else
      return first_expr(query, key, value);
  }
  constexpr auto operator()() const { return attend_by(NoFunction{}, NoFunction{}); }
  // One function and tensors, or two.
  template <class F, class... A>
  constexpr auto operator()(const F& f, const A&... rest) const {
    constexpr bool one = is_function<F> && !(is_function<A> || ...);
    if constexpr (!one)
      return both(f, rest...);
    else if constexpr (is_score_function<F, A...>)
      return attend_by(f, NoFunction{}, rest...);
    else if constexpr (is_mask_function<F, A...>)
      return attend_by(NoFunction{}, f, rest...);
    else
      return both();
  }
};

}  // namespace detail

// attention(query, key, value, score, mask, tensors...): query (B, Hq, L, E), key (B, H, S, E), value (B, H,
// S, Ev) -> (B, Hq, L, Ev). score(s, b, h, i, j, tensors...) gives the score of query i and key j, of s, the
// product with the scale; mask(b, h, i, j, tensors...) says whether i attends to j. Either may be left out,
// and a score of -infinity masks too. b, h, i and j are traced integers: arithmetic on them and reads of
// tensors by them, slopes[h], bias[h][i - j], doc[b][i] == doc[b][j], are traced. Options: is_causal, scale,
// enable_gqa. The scores of small floats are f32, which is what score takes.
template <AttentionOptions Options = AttentionOptions{}, class Q, class K, class V, class... A>
constexpr auto attention(const Q& query, const K& key, const V& value, const A&... functions_then_tensors) {
  return detail::AttentionOperands<Options, Q, K, V>{query, key, value}(functions_then_tensors...);
}
// The same with key_lengths(lengths) in front of the functions: keys from lengths[b] on are not attended to.
template <AttentionOptions Options = AttentionOptions{}, class Q, class K, class V, class N, class... A>
constexpr auto attention(const Q& query, const K& key, const V& value, const KeyLengths<N>& lengths,
                         const A&... functions_then_tensors) {
  return detail::AttentionOperands<Options, Q, K, V, N>{query, key, value,
                                                        lengths.lengths}(functions_then_tensors...);
}

}  // namespace WEFT_NAMESPACE
