#pragma once
// Scaled dot product attention: softmax(q k^T scale + mask) v. Law: a query that may attend to no key gives
// zeros, and so does its gradient; masks broadcast to the scores and never widen them. One region of the
// graph (ir/attention.hpp), whose kernels keep no scores in memory; composed as product, mask, softmax,
// product where the weights are wanted, in f64, and of operands of more than four axes.

#include <limits>

#include "weft/core/square_root.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/random/random.hpp"
#include "weft/transforms/attention_body.hpp"

namespace WEFT_NAMESPACE {

// Settings of torch.nn.functional.scaled_dot_product_attention that are known while compiling.
struct AttentionOptions {
  bool is_causal = false;   // query i attends to the keys 0 to i
  double scale = 0;         // 0: 1 / sqrt(E)
  bool enable_gqa = false;  // Hq / H neighbouring heads of the query share a head of key and value
};

WEFT_REFUSAL(
    AttentionOperandsFit,
    "the operands of an attention do not fit: query is (..., L, E), key (..., S, E), value (..., "
    "S, Ev), and their leading axes broadcast; fewer heads of key and value than of query are asked for by "
    ".enable_gqa = true");
WEFT_REFUSAL(
    AttentionHeadsFit,
    "the heads of a grouped attention do not fit: query is (..., Hq, L, E), key (..., H, S, E), value "
    "(..., H, S, Ev), and Hq is a multiple of H");
// Shapes: the mask's, then that of the scores.
WEFT_REFUSAL(AttentionMaskIsBoolean,
             "scaled_dot_product_attention: a mask is of bool, true where a query sees a key, or of floats, "
             "which are added to the scores: of a mask of 0 and 1 write mask > 0");
WEFT_REFUSAL(
    AttentionMaskFits,
    "the mask of an attention does not broadcast to its scores, (..., queries L, keys S) with heads");

// Shapes: that of the lengths, then that of the scores.
WEFT_REFUSAL(KeyLengthsFit,
             "the key_lengths of an attention are a vector of integers, i32 or i64, one for each sequence: "
             "shape (B) for a query (B, ..., L, E)");

// How many keys of each sequence count: the keys behind them are not attended to.
template <class Lengths>
struct KeyLengths {
  Lengths lengths;  // (B), integers
};
// scaled_dot_product_attention(q, k, v, key_lengths(lengths)): lengths (B), i32 or i64, 0 to S.
template <class Lengths>
constexpr auto key_lengths(const Lengths& lengths) {
  return KeyLengths<Lengths>{lengths};
}

namespace detail {

template <class Q, class K, class V, bool Grouped>
struct attention_rule {
  static constexpr Dims q = Q::value, k = K::value, v = V::value;
  static constexpr int least = Grouped ? 3 : 2;
  static constexpr bool ranked = q.rank >= least && k.rank >= least && v.rank >= least;
  static constexpr i64 at(const Dims& d, int from_end) { return ranked ? d.extent[d.rank - from_end] : 1; }
  static constexpr i64 length = at(q, 2), keys = at(k, 2);
  static constexpr bool heads =
      !Grouped || !ranked || (at(k, 3) == at(v, 3) && at(k, 3) > 0 && at(q, 3) % at(k, 3) == 0);
  static constexpr i64 groups = Grouped && heads ? at(q, 3) / at(k, 3) : 1;
  // The queries with those that share keys as rows of one head.
  static constexpr Dims make_rows() {
    Dims d = q;
    if (groups != 1) d.extent[d.rank - 3] /= groups, d.extent[d.rank - 2] *= groups;
    return d;
  }
  static constexpr Dims rows = make_rows();
  static constexpr Dims batch_qk =
      broadcast(matmul_rule<Q, K>::batch_of(rows), matmul_rule<Q, K>::batch_of(k));
  static constexpr Dims batch = broadcast(batch_qk, matmul_rule<Q, K>::batch_of(v));
  static constexpr bool fits =
      ranked && at(q, 1) == at(k, 1) && keys == at(v, 2) && batch_qk.valid() && batch.valid();
  static constexpr bool ok = fits && heads;
  // (..., Hq, rows, columns), the heads and their groups apart again.
  static constexpr Dims result(Dims d, i64 columns) {
    if (!ok) return q;
    if (groups != 1) d.extent[d.rank - 1] *= groups;
    d.extent[d.rank++] = length;
    d.extent[d.rank++] = columns;
    return d;
  }
  struct Scores {
    static constexpr Dims value = result(batch_qk, keys);
  };
  static constexpr Dims value = result(batch, at(v, 1));
};

// Batches of matrices a times b, or b transposed; their leading axes broadcast to `batch`.
constexpr ir::Value attention_product(ir::Value a, ir::Value b, const Dims& batch, bool transposed) {
  const auto expanded = [&](ir::Value x) {
    const Dims d = x.dims();
    Dims to = batch;
    to.extent[to.rank++] = d.extent[d.rank - 2];
    to.extent[to.rank++] = d.extent[d.rank - 1];
    return ir::broadcast(x, to);
  };
  ir::DotAxes axes;
  axes.contracted = 1;
  a = expanded(a);
  axes.contracted_a[0] = batch.rank + 1;
  if (b.dims().rank == 2) {  // one matrix for all: the leading axes of a are rows of one product
    axes.contracted_b[0] = transposed ? 1 : 0;
  } else {
    b = expanded(b);
    axes.batch = batch.rank;
    for (int i = 0; i < batch.rank; ++i) axes.batch_a[i] = axes.batch_b[i] = i;
    axes.contracted_b[0] = batch.rank + (transposed ? 1 : 0);
  }
  return ir::dot(a, b, axes, a.dtype());
}

// The two products of attention. Rule: an attention_rule that holds; T: the dtype of the operands.
template <class Rule, class T>
struct AttentionProducts {
  using Wide = std::conditional_t<(size_of(dtype_of<T>) < 4), f32, T>;  // of the scores
  using Scores = shape_of<typename Rule::Scores>;
  static constexpr DType t = dtype_of<T>;

  // q k^T scale: (..., Hq, L, S). scale 0: 1 / sqrt(E).
  static constexpr Expr<Wide, Scores> scores(ir::Value q, ir::Value k, double scale) {
    if (scale == 0) scale = 1 / square_root(static_cast<double>(Rule::q.extent[Rule::q.rank - 1]));
    const ir::Value rows = ir::reshape(ir::cast(q, t), Rule::rows);
    const ir::Value product = attention_product(rows, ir::cast(k, t), Rule::batch_qk, true);
    return {ir::reshape(ir::cast(product, dtype_of<Wide>), Scores::value) * scale};
  }
  // weights v: (..., Hq, L, Ev).
  static constexpr Expr<T, shape_of<Rule>> mixed(ir::Value weights, ir::Value v) {
    Dims mixing = Rule::batch_qk;
    mixing.extent[mixing.rank++] = Rule::rows.extent[Rule::rows.rank - 2];
    mixing.extent[mixing.rank++] = Rule::keys;
    const ir::Value y = attention_product(ir::reshape(weights, mixing), ir::cast(v, t), Rule::batch, false);
    return {ir::reshape(y, Rule::value)};
  }
};

// What a function makes of all scores: the scores, and a factor of each weight.
template <class S, class W>
struct SeenScores {
  S scores;
  W factor;
};
template <class S, class W>
SeenScores(S, W) -> SeenScores<S, W>;
// No weight is changed.
struct NoFactor {};

// Attention as a region of the graph. Rule: an attention_rule that holds; T: the dtype of the operands.
template <class Rule, class T>
struct AttentionRegion {
  static constexpr Dims scores = Rule::Scores::value;
  static constexpr bool fits =
      size_of(dtype_of<T>) <= 4 && scores.rank <= 4 && scores.size() > 0 &&
      Rule::value.size() > 0 && Rule::at(Rule::q, 1) > 0 && Rule::batch == Rule::batch_qk;
  // The extent of an axis of the grid (B, Hq, L, S).
  static constexpr i64 along(int axis) {
    return axis + scores.rank < 4 ? 1 : scores.extent[axis + scores.rank - 4];
  }
  static constexpr i64 heads_of(const Dims& d) { return d.rank > 2 ? d.extent[d.rank - 3] : 1; }
  static constexpr ir::Value with_heads(ir::Value x, i64 heads) {
    const Dims d = x.dims();
    Dims four{4, {1, 1, 1, 1}};
    for (int k = 0; k < d.rank; ++k) four.extent[k + 4 - d.rank] = d.extent[k];
    x = ir::reshape(ir::cast(x, dtype_of<T>), four);
    four.extent[0] = along(0), four.extent[1] = heads;
    return ir::broadcast(x, four);
  }

  // `see`: what happens to the scores, traced on those of all places. An empty value where that is no
  // arithmetic at single places.
  template <class F>
  static constexpr ir::Value attend(ir::Builder& b, ir::Value q, ir::Value k, ir::Value v, double scale,
                                    const F& see) {
    if (scale == 0) scale = 1 / square_root(static_cast<double>(Rule::at(Rule::q, 1)));
    const Dims grid{4, {along(0), along(1), along(2), along(3)}};
    ir::Builder trace(64);
    trace.parent = &b;
    trace.graph.is_body = true;
    trace.graph.scalar_count = b.graph.scalar_count;
    trace.graph.streams = b.graph.streams;
    trace.graph.inputs.push(trace.leaf(ir::Op::input, DType::f32, scores, 0));
    trace.outer.push(-1);
    b.inner = &trace;
    const ir::Value product{&trace, trace.graph.inputs[0]};
    const auto seen = see(trace, Expr<f32, shape_of<typename Rule::Scores>>{product * scale});
    b.inner = nullptr;
    transforms::AttentionBody body(b, trace, scores, grid);
    if (!body.add_output(seen.scores.value.id)) return {};
    bool drops = false;
    if constexpr (!std::is_same_v<decltype(seen.factor), NoFactor>) {
      drops = !seen.factor.value.is(1);
      if (drops && !body.add_output(seen.factor.value.id)) return {};
    }
    b.graph.streams = trace.graph.streams;
    const i64 kv_heads = heads_of(Rule::k) == heads_of(Rule::v) ? heads_of(Rule::k) : along(1);
    List<int> operands;
    operands.push(with_heads(q, along(1)).id);
    operands.push(with_heads(k, kv_heads).id);
    operands.push(with_heads(v, kv_heads).id);
    for (const int x : body.captured()) operands.push(x);
    const ir::Value region = ir::attention(b, body.graph(), operands, drops);
    const ir::Value y = ir::attention_result(region, ir::AttentionShape::y, dtype_of<T>);
    // what a gradient would read of the forward pass stands there
    ir::attention_result(region, ir::AttentionShape::row_lse, DType::f32);
    return ir::reshape(y, Rule::value);
  }
};

// Where key <= query, or the key is one of the last `Open`.
template <i64 L, i64 S, i64 Open = 0>
constexpr Expr<bool, Shape<L, S>> causal_mask(ir::Builder& b) {
  constexpr Dims d = make_dims<L, S>();
  const ir::Value query{&b, b.leaf(ir::Op::iota, DType::i32, d, 0)};
  const ir::Value key{&b, b.leaf(ir::Op::iota, DType::i32, d, 1)};
  ir::Value open = ir::binary(ir::Op::le, key, query);
  if (Open > 0)
    open = ir::binary(ir::Op::bit_or, open,
                      ir::binary(ir::Op::le, ir::constant_like(key, static_cast<double>(S - Open)), key));
  return {open};
}

// In place of key lengths: all keys count.
struct AllKeys {};
template <class Lengths>
inline constexpr bool has_lengths = !std::is_same_v<Lengths, AllKeys>;

// S: the shape of the scores.
template <class S, class Lengths>
constexpr bool lengths_fit() {
  if constexpr (has_lengths<Lengths>) {
    using T = dtype_of_operand<Lengths>;
    return S::rank > 2 && shape_of_operand<Lengths>::rank == 1 &&
           shape_of_operand<Lengths>::value.extent[0] == S::value.extent[0] &&
           (std::is_same_v<T, i32> || std::is_same_v<T, i64>);
  } else {
    return true;
  }
}
// Refuses lengths that do not.
template <class Op, class S, class Lengths>
constexpr bool check_lengths() {
  if constexpr (has_lengths<Lengths>)
    static_assert(sizeof(KeyLengthsFit<lengths_fit<S, Lengths>(), Op, dtype_of_operand<Lengths>,
                                       shape_of_operand<Lengths>, S>) > 0);
  return lengths_fit<S, Lengths>();
}
// (B, 1, ..., 1) of scores (B, ..., L, S).
template <class S>
struct each_sequence {
  static constexpr Dims make() {
    Dims d = S::value;
    for (int a = 1; a < d.rank; ++a) d.extent[a] = 1;
    return d;
  }
  static constexpr Dims value = make();
};
// Of scores, all but those of the keys behind the length of their sequence.
template <class Scores, class Lengths>
constexpr Scores in_front_of([[maybe_unused]] ir::Builder& b, const Scores& scores,
                             [[maybe_unused]] const Lengths& lengths) {
  if constexpr (has_lengths<Lengths>) {
    using Each = shape_of<each_sequence<typename Scores::shape>>;
    constexpr i64 keys = Scores::shape::value.extent[Scores::shape::rank - 1];
    ir::Value each = ir::reshape(lengths.value, Each::value);
    if (each.dtype() == DType::i64)  // so that no length wraps
      each = ir::cast(ir::binary(ir::Op::min, each, ir::constant_like(each, static_cast<double>(keys))),
                      DType::i32);
    const Expr<i32, Shape<keys>> place{{&b, b.leaf(ir::Op::iota, DType::i32, Shape<keys>::value, 0)}};
    return where(lt(place, Expr<i32, Each>{each}), scores, -std::numeric_limits<double>::infinity());
  } else {
    return scores;
  }
}

// Softmax over the last axis of scores that may be -infinity; a row with nothing else is zeros.
constexpr auto masked_softmax(const auto& x) {
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  const auto top = stop_gradient(row_top<-1>(*x.value.builder, x));
  const auto e = exp(sub(x, where(eq(top, lowest), 0, top)));
  const auto total = sum<-1>(e, keepdim);
  return div(e, where(eq(total, 0), 1, total));
}

}  // namespace detail

// Of q, k, v, with `Drops` the probability with which weights are dropped, and masks: a boolean one is true
// where a query attends to a key, any other is added to the scores. The last `Open` keys are open to all
// queries whatever is_causal says. The result, or with `Weights` a tuple of it and the weights (.., Hq, L,
// S). With `Lengths`, those of the keys come in front of the masks.
template <AttentionOptions Options, bool Drops = false, i64 Open = 0, bool Weights = false,
          bool Lengths = false>
struct ScaledDotProductAttentionOp
    : Operation<ScaledDotProductAttentionOp<Options, Drops, Open, Weights, Lengths>> {
  template <class S, class Mask>
  static constexpr bool fits = broadcastable(Mask::value, S::value) &&
                               broadcast(Mask::value, S::value) == S::value;
  template <class T>
  static constexpr bool masks = is_float(dtype_of<T>) || std::is_same_v<T, bool>;

  template <class S>
  static constexpr S masked(const S& scores) {
    return scores;
  }
  template <class S, class Mask>
  static constexpr auto masked(const S& scores, const Mask& mask) {
    if constexpr (std::is_same_v<dtype_of_operand<Mask>, bool>)
      return where(mask, scores, -std::numeric_limits<double>::infinity());
    else
      return add(scores, cast<typename S::dtype>(mask));
  }
  template <class S, class M0, class M1, class... More>
  static constexpr auto masked(const S& scores, const M0& first, const M1& second, const More&... more) {
    return masked(masked(scores, first), second, more...);
  }
  template <class S, class... Masks>
  static constexpr auto normalized(const S& scores, const Masks&... masks) {
    if constexpr (Lengths || sizeof...(Masks) > 0)
      return detail::masked_softmax(masked(scores, masks...));
    else
      return softmax<-1>(scores);  // every query has a key: the first
  }

  template <ExprLike Q, ExprLike K, ExprLike V, class... A>
  static constexpr auto apply(ir::Builder& b, const Q& q, const K& k, const V& v, const A&... more) {
    if constexpr (Drops)
      return dropping(b, q, k, v, more...);
    else
      return dropping(b, q, k, v, 0, more...);
  }
  template <class Q, class K, class V, class P, class... A>
  static constexpr auto dropping(ir::Builder& b, const Q& q, const K& k, const V& v, const P& p,
                                 const A&... more) {
    if constexpr (Lengths)
      return attend(b, q, k, v, p, more...);
    else
      return attend(b, q, k, v, p, detail::AllKeys{}, more...);
  }
  template <class Q, class K, class V, class P, class L, class... Masks>
  static constexpr auto attend(ir::Builder& b, const Q& q, const K& k, const V& v, const P& p,
                               const L& lengths, const Masks&... more) {
    using Rule =
        detail::attention_rule<typename Q::shape, typename K::shape, typename V::shape, Options.enable_gqa>;
    static_assert(sizeof(AttentionHeadsFit<Rule::heads, ScaledDotProductAttentionOp, typename Q::shape,
                                           typename K::shape, typename V::shape>) > 0);
    static_assert(sizeof(AttentionOperandsFit < Rule::fits || !Rule::heads, ScaledDotProductAttentionOp,
                         typename Q::shape, typename K::shape, typename V::shape >) > 0);
    using T = floating<promoted<promoted<typename Q::dtype, typename K::dtype>, typename V::dtype>>;
    using S = shape_of<typename Rule::Scores>;
    using R = Expr<T, shape_of<Rule>>;
    static_assert(((sizeof(AttentionMaskFits < !Rule::ok || fits<S, shape_of_operand<Masks>>,
                           ScaledDotProductAttentionOp, shape_of_operand<Masks>, S >) > 0) &&
                   ... && true));
    static_assert(((sizeof(AttentionMaskIsBoolean<masks<dtype_of_operand<Masks>>, ScaledDotProductAttentionOp,
                                                  dtype_of_operand<Masks>>) > 0) &&
                   ... && true));
    constexpr bool fit = Rule::ok && (fits<S, shape_of_operand<Masks>> && ... && true) &&
                         (masks<dtype_of_operand<Masks>> && ... && true);
    constexpr bool ok = [] {
      if constexpr (fit)
        return detail::check_lengths<ScaledDotProductAttentionOp, S, L>();
      else
        return false;
    }();
    const auto results = [](const R& y, const auto& weights) {
      if constexpr (Weights)
        return std::tuple{y, weights};
      else
        return y;
    };
    if constexpr (!ok) {
      return results(detail::refused<T, typename R::shape>(q, k, v, more...), detail::refused<T, S>(q, k, v));
    } else {
      if (!detail::lies_in(p, 0, 1))
        return results(detail::without_value<R>(b, ir::Valueless::no_rate),
                       detail::without_value<Expr<T, S>>(b, ir::Valueless::no_rate));
      const auto open = [&](ir::Builder& builder, const auto& all) {
        if constexpr (Options.is_causal)
          return detail::in_front_of(builder,
                                     where(detail::causal_mask<Rule::length, Rule::keys, Open>(builder), all,
                                           -std::numeric_limits<double>::infinity()),
                                     lengths);
        else
          return detail::in_front_of(builder, all, lengths);
      };
      if constexpr (!Weights && detail::AttentionRegion<Rule, T>::fits) {
        const ir::Value y = detail::AttentionRegion<Rule, T>::attend(
            b, q.value, k.value, v.value, Options.scale, [&]<class A>(ir::Builder& trace, const A& all) {
              const auto seen = masked(open(trace, all), more...);
              if constexpr (Drops)
                return detail::SeenScores{seen, dropout(A{ir::constant_like(all.value, 1)}, p)};
              else
                return detail::SeenScores{seen, detail::NoFactor{}};
            });
        if (y) return R{y};
      }
      using Products = detail::AttentionProducts<Rule, T>;
      const auto seen = open(b, Products::scores(q.value, k.value, Options.scale));
      const auto weights = normalized(seen, more...);
      const Expr<T, S> kept = cast<T>(dropout(weights, p));
      return results(Products::mixed(kept.value, v.value), kept);
    }
  }
};

// A number, and no truth value, which would be meant as is_causal.
template <class P>
concept DropProbability = std::is_arithmetic_v<P> && !std::is_same_v<P, bool>;
namespace detail {
template <class P>
constexpr double checked_rate(const P& p) {
  return static_cast<double>(checked_in(p, 0, 1, rate_text));
}
}  // namespace detail

// scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(query, key, value, attn_mask, dropout_p):
// query (..., L, E), key (..., S, E), value (..., S, Ev) -> (..., L, Ev). attn_mask, if any, broadcasts to
// (..., L, S): booleans, true where a query attends to a key, or numbers that are added to the scores.
// dropout_p, if any: a number; a layer passes 0 in evaluation. The softmax of small floats is taken in f32.
template <AttentionOptions Options = AttentionOptions{}, class Q, class K, class V>
constexpr auto scaled_dot_product_attention(const Q& query, const K& key, const V& value) {
  return ScaledDotProductAttentionOp<Options>{}(query, key, value);
}
template <AttentionOptions Options = AttentionOptions{}, class Q, class K, class V, DropProbability P>
constexpr auto scaled_dot_product_attention(const Q& query, const K& key, const V& value,
                                            const P& dropout_p) {
  return ScaledDotProductAttentionOp<Options, true>{}(query, key, value, detail::checked_rate(dropout_p));
}
template <AttentionOptions Options = AttentionOptions{}, class Q, class K, class V, class M>
requires(!Scalar<M>) constexpr auto scaled_dot_product_attention(const Q& query, const K& key, const V& value,
                                                                 const M& attn_mask) {
  return ScaledDotProductAttentionOp<Options>{}(query, key, value, attn_mask);
}
template <AttentionOptions Options = AttentionOptions{}, class Q, class K, class V, class M,
          DropProbability P>
requires(!Scalar<M>) constexpr auto scaled_dot_product_attention(const Q& query, const K& key, const V& value,
                                                                 const M& attn_mask, const P& dropout_p) {
  return ScaledDotProductAttentionOp<Options, true>{}(query, key, value, detail::checked_rate(dropout_p),
                                                      attn_mask);
}
// The same, with the lengths of the keys behind: keys from lengths[b] on are not attended to, and tiles of
// nothing else are not computed. A sequence of length 0 gives zeros.
template <AttentionOptions Options = AttentionOptions{}, class Q, class K, class V, class N>
constexpr auto scaled_dot_product_attention(const Q& query, const K& key, const V& value,
                                            const KeyLengths<N>& lengths) {
  return ScaledDotProductAttentionOp<Options, false, 0, false, true>{}(query, key, value, lengths.lengths);
}
template <AttentionOptions Options = AttentionOptions{}, class Q, class K, class V, DropProbability P,
          class N>
constexpr auto scaled_dot_product_attention(const Q& query, const K& key, const V& value, const P& dropout_p,
                                            const KeyLengths<N>& lengths) {
  return ScaledDotProductAttentionOp<Options, true, 0, false, true>{}(
      query, key, value, detail::checked_rate(dropout_p), lengths.lengths);
}
template <AttentionOptions Options = AttentionOptions{}, class Q, class K, class V, class M, class N>
requires(!Scalar<M>) constexpr auto scaled_dot_product_attention(const Q& query, const K& key, const V& value,
                                                                 const M& attn_mask,
                                                                 const KeyLengths<N>& lengths) {
  return ScaledDotProductAttentionOp<Options, false, 0, false, true>{}(query, key, value, lengths.lengths,
                                                                       attn_mask);
}
template <AttentionOptions Options = AttentionOptions{}, class Q, class K, class V, class M,
          DropProbability P, class N>
requires(!Scalar<M>) constexpr auto scaled_dot_product_attention(const Q& query, const K& key, const V& value,
                                                                 const M& attn_mask, const P& dropout_p,
                                                                 const KeyLengths<N>& lengths) {
  return ScaledDotProductAttentionOp<Options, true, 0, false, true>{}(
      query, key, value, detail::checked_rate(dropout_p), lengths.lengths, attn_mask);
}

}  // namespace WEFT_NAMESPACE
