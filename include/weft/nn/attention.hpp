#pragma once
// MultiheadAttention with PyTorch's parameters, layouts and start. Law: operands that are one and the same
// value share one product with the stacked weights, as do key and value of a cross attention.

#include "weft/nn/dropout.hpp"
#include "weft/nn/keyword_args.hpp"
#include "weft/ops/nn/attention.hpp"
#include "weft/ops/shape/concat.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/shape/slicing.hpp"

namespace WEFT_NAMESPACE::nn {

// torch.nn.MultiheadAttention's settings that change shapes or parameters.
struct MultiheadOptions {
  bool bias = true;            // of all projections
  bool add_bias_kv = false;    // a learned key and value behind the sequence
  bool add_zero_attn = false;  // a key and value of zeros behind the sequence
  i64 kdim = 0;                // features of key; 0: embed_dim
  i64 vdim = 0;                // features of value; 0: embed_dim
  bool batch_first = false;    // (batch, sequence, features) in place of (sequence, batch, features)
};

// What: embed_dim and num_heads.
WEFT_REFUSAL(AttentionTakesThree,
             "MultiheadAttention takes the query, the key and the value: attn(x, x, x) is self-attention, "
             "attn(x, y, y) attends to y");
WEFT_REFUSAL(
    HeadsDivide,
    "MultiheadAttention<embed_dim, num_heads>: embed_dim is a multiple of num_heads, which is at least 1");
// What: the shapes of query, key and value, then embed_dim, kdim and vdim.
WEFT_REFUSAL(MultiheadOperandsFit,
             "the operands of MultiheadAttention do not fit: query is (L, N, embed_dim), key (S, N, kdim) "
             "and value (S, N, vdim); with batch_first N comes first; all may be without N");
// What: the mask's shape, then that of the scores, (N, heads, L, S).
WEFT_REFUSAL(AttnMaskFits, "attn_mask has the wrong shape: it is (L, S) or (N * heads, L, S)");
WEFT_REFUSAL(KeyPaddingMaskFits,
             "key_padding_mask has the wrong shape: it is (N, S), or (S) without a batch");

namespace module_detail {

// A Linear with starts of its own.
template <i64 In, i64 Out, bool Bias, class T, class WeightInit, class BiasInit>
struct Projection {
  Param<T, Shape<Out, In>, WeightInit> weight{};
  std::conditional_t<Bias, Param<T, Shape<Out>, BiasInit>, Absent> bias{};
  constexpr auto operator()(const auto& x) const {
    if constexpr (Bias)
      return linear(x, weight, bias);
    else
      return linear(x, weight);
  }
};

// A mask of MultiheadAttention as one of the scores (N, Heads, L, S + Open): its axes apart, nothing masked
// behind S, booleans turned round.
template <i64 N, i64 Heads, i64 L, i64 S, i64 Open, bool Padding>
struct MultiheadMask : Operation<MultiheadMask<N, Heads, L, S, Open, Padding>> {
  static constexpr Dims scores = Shape<N, Heads, L, S>::value;
  static constexpr bool fits(const Dims& d) {
    if (Padding)
      return (d.rank == 2 && d.extent[0] == N && d.extent[1] == S) ||
             (d.rank == 1 && N == 1 && d.extent[0] == S);
    return (d.rank == 2 || (d.rank == 3 && d.extent[0] == N * Heads)) && d.extent[d.rank - 2] == L &&
           d.extent[d.rank - 1] == S;
  }
  template <class M>
  struct rule {
    static constexpr Dims make() {
      Dims d = scores;
      if (Padding) d.extent[1] = d.extent[2] = 1;
      if (!Padding && M::rank == 2) d.extent[0] = d.extent[1] = 1;
      return d;
    }
    static constexpr Dims split = make();
    static constexpr Dims opened() {
      Dims d = split;
      d.extent[3] += Open;
      return d;
    }
    static constexpr Dims value = opened();
  };
  template <class M>
  static constexpr auto apply(ir::Builder&, const M& mask) {
    constexpr bool ok = fits(M::shape::value);
    if constexpr (Padding)
      static_assert(sizeof(KeyPaddingMaskFits<ok, MultiheadMask, typename M::shape, Shape<N, Heads, L, S>>) >
                    0);
    else
      static_assert(sizeof(AttnMaskFits<ok, MultiheadMask, typename M::shape, Shape<N, Heads, L, S>>) > 0);
    using T = typename M::dtype;
    using Rule = rule<typename M::shape>;
    static_assert(
        sizeof(DtypeAllowed < is_float(dtype_of<T>) || std::is_same_v<T, bool>, MultiheadMask, T >) > 0);
    using R = Expr<T, shape_of<Rule>>;
    if constexpr (ok) {
      const i64 widths[2 * max_rank]{0, 0, 0, 0, 0, 0, 0, Open};
      const ir::Value v = ir::pad(ir::reshape(mask.value, Rule::split), widths, 0);
      return R{std::is_same_v<T, bool> ? ir::unary(ir::Op::logical_not, v) : v};
    } else {
      return R{weft::detail::refused<f32, typename R::shape>(mask).value};
    }
  }
};

}  // namespace module_detail

// attn(query, key, value, ...): query (L, N, EmbedDim), key (S, N, kdim), value (S, N, vdim) -> (L, N,
// EmbedDim); with batch_first (N, L, ...); all without N as well. Named arguments: attn_mask (L, S) or (N *
// heads, L, S), key_padding_mask (N, S), is_causal, need_weights (the result is a tuple with the weights, (N,
// L, S), behind the output), average_attn_weights<false> (weights (N, heads, L, S)). `dropout` drops weights
// while training. A query that may attend to no key gets zeros instead of NaN.
template <i64 EmbedDim, i64 NumHeads = 0, OptionsOf<MultiheadOptions> Options = MultiheadOptions{},
          class T = f32, class OutInit = init::FanInUniform<>>
struct MultiheadAttention {
  static constexpr MultiheadOptions O =
      options_alone<MultiheadOptions, spelled::MultiheadAttention, Options>();
  static constexpr bool divides = EmbedDim > 0 && NumHeads > 0 &&
                                  EmbedDim % (NumHeads > 0 ? NumHeads : 1) == 0;
  static_assert(sizeof(HeadsDivide<divides, MultiheadAttention, GivenSize<EmbedDim>, GivenSize<NumHeads>>) >
                0);
  static constexpr i64 kdim = O.kdim > 0 ? O.kdim : EmbedDim, vdim = O.vdim > 0 ? O.vdim : EmbedDim;
  static constexpr i64 head_dim = divides ? EmbedDim / NumHeads : 1;
  static constexpr bool packed = kdim == EmbedDim && vdim == EmbedDim;
  static constexpr i64 open = (O.add_bias_kv ? 1 : 0) + (O.add_zero_attn ? 1 : 0);
  template <i64... D>
  using Weight = Param<T, Shape<D...>, init::XavierUniform<>>;
  template <bool Has, class P>
  using If = std::conditional_t<Has, P, Absent>;

  If<packed, Weight<3 * EmbedDim, EmbedDim>> in_proj_weight{};
  If<!packed, Weight<EmbedDim, EmbedDim>> q_proj_weight{};
  If<!packed, Weight<EmbedDim, kdim>> k_proj_weight{};
  If<!packed, Weight<EmbedDim, vdim>> v_proj_weight{};
  If<O.bias, Param<T, Shape<3 * EmbedDim>>> in_proj_bias{};
  If<O.add_bias_kv, Param<T, Shape<1, 1, EmbedDim>, init::XavierNormal<>>> bias_k{};
  If<O.add_bias_kv, Param<T, Shape<1, 1, EmbedDim>, init::XavierNormal<>>> bias_v{};
  module_detail::Projection<EmbedDim, EmbedDim, O.bias, T, OutInit, init::Zeros> out_proj{};
  float dropout = 0;
  Mode mode{};

  // Refused.
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& x) const {
    static_assert(sizeof(AttentionTakesThree<sizeof(x) == 0, MultiheadAttention>) > 0);
    return x;
  }
  constexpr auto operator()(const auto& x, const auto&) const {
    static_assert(sizeof(AttentionTakesThree<sizeof(x) == 0, MultiheadAttention, void>) > 0);
    return x;
  }
  template <class... A>
  constexpr auto operator()(const auto& query, const auto& key, const auto& value,
                            const A&... keywords) const {
    const auto q = to_expr(query);
    const auto k = to_expr(key);
    const auto v = to_expr(value);
    using Q = typename std::remove_cvref_t<decltype(q)>::shape;
    using K = typename std::remove_cvref_t<decltype(k)>::shape;
    using V = typename std::remove_cvref_t<decltype(v)>::shape;
    constexpr bool known =
        module_detail::Keywords<Keyword::attn_mask, Keyword::key_padding_mask, Keyword::is_causal,
                                Keyword::need_weights, Keyword::average_attn_weights>::template fit<A...>;
    static_assert(sizeof(WordsFit<known, MultiheadAttention, A...>) > 0);
    constexpr bool ok = fits(Q::value, K::value, V::value);
    static_assert(sizeof(MultiheadOperandsFit<ok, MultiheadAttention, Q, K, V, Shape<EmbedDim, kdim, vdim>>) >
                  0);
    if constexpr (ok && known && divides)
      return attend(q, k, v, keywords...);
    else
      return weft::detail::refused<T, Q>(q, k, v);
  }

 private:
  static constexpr bool fits(const Dims& q, const Dims& k, const Dims& v) {
    if ((q.rank != 2 && q.rank != 3) || k.rank != q.rank || v.rank != q.rank) return false;
    const int batch = O.batch_first ? 0 : 1;
    if (q.rank == 3 && (q.extent[batch] != k.extent[batch] || q.extent[batch] != v.extent[batch]))
      return false;
    const int sequence = q.rank == 3 ? 1 - batch : 0;
    return k.extent[sequence] == v.extent[sequence] && q.extent[q.rank - 1] == EmbedDim &&
           k.extent[q.rank - 1] == kdim && v.extent[q.rank - 1] == vdim;
  }
  // The batch leads: with batch_first, and without a batch, where it is 1.
  template <class X>
  static constexpr bool leads = O.batch_first || X::rank == 2;
  template <class X>
  static constexpr i64 batch_of = X::rank == 2 ? 1 : X::shape::value[O.batch_first ? 0 : 1];
  template <class X>
  static constexpr i64 length_of = X::shape::value[X::rank == 2 || !O.batch_first ? 0 : 1];

  // Rows [First, First + Count) of three stacked projections.
  template <i64 First, i64 Count>
  constexpr auto project(const auto& x) const {
    const auto weight = narrow<0, First * EmbedDim, Count * EmbedDim>(in_proj_weight);
    if constexpr (O.bias)
      return linear(x, weight, narrow<0, First * EmbedDim, Count * EmbedDim>(in_proj_bias));
    else
      return linear(x, weight);
  }
  template <i64 Part>
  constexpr auto project_with(const auto& x, const auto& weight) const {
    if constexpr (O.bias)
      return linear(x, weight, narrow<0, Part * EmbedDim, EmbedDim>(in_proj_bias));
    else
      return linear(x, weight);
  }
  template <i64 Part>
  static constexpr auto part(const auto& x) {
    return narrow<-1, Part * EmbedDim, EmbedDim>(x);
  }
  template <class A, class B>
  static constexpr bool one(const A& a, const B& b) {
    return a.value.builder == b.value.builder && a.value.id == b.value.id;
  }
  // A tuple of the projected query, key and value.
  template <class Q, class K, class V>
  constexpr auto projected(const Q& q, const K& k, const V& v) const {
    if constexpr (!packed) {
      const auto a = project_with<0>(q, q_proj_weight);
      const auto b = project_with<1>(k, k_proj_weight);
      return std::tuple{a, b, project_with<2>(v, v_proj_weight)};
    } else {
      if constexpr (std::is_same_v<Q, K> && std::is_same_v<K, V>)
        if (one(q, k) && one(k, v)) {
          const auto all = project<0, 3>(q);
          return std::tuple{part<0>(all), part<1>(all), part<2>(all)};
        }
      const auto a = project<0, 1>(q);
      if constexpr (std::is_same_v<K, V>)
        if (one(k, v)) {
          const auto both = project<1, 2>(k);
          return std::tuple{a, part<0>(both), part<1>(both)};
        }
      const auto b = project<1, 1>(k);
      return std::tuple{a, b, project<2, 1>(v)};
    }
  }

  // (L, N, EmbedDim) or (N, L, EmbedDim) -> (N, heads, L, head_dim)
  template <bool BatchLeads, i64 N, i64 L>
  static constexpr auto heads(const auto& x) {
    if constexpr (BatchLeads)
      return permute<0, 2, 1, 3>(reshape<N, L, NumHeads, head_dim>(x));
    else
      return permute<1, 2, 0, 3>(reshape<L, N, NumHeads, head_dim>(x));
  }
  // The learned key or value, then the zeros, behind the sequence.
  template <i64 N>
  static constexpr auto lengthened(const auto& x, const auto& learned) {
    using D = typename std::remove_cvref_t<decltype(x)>::dtype;
    const auto with_learned = [&] {
      if constexpr (O.add_bias_kv)
        return cat<2>(x, expand<N, NumHeads, 1, head_dim>(reshape<1, NumHeads, 1, head_dim>(learned)));
      else
        return x;
    }();
    if constexpr (O.add_zero_attn)
      return cat<2>(with_learned, zeros<D, N, NumHeads, 1, head_dim>());
    else
      return with_learned;
  }

  // attention(q, k, v, p, ...) with those of the masks that are given.
  template <class Mask, class Padding>
  static constexpr auto with_masks(const auto& attention, const auto& q, const auto& k, const auto& v,
                                   double p, const auto& by_query, const Mask& mask, const auto& by_key,
                                   const Padding& padding) {
    using module_detail::is_given;
    if constexpr (is_given<Mask> && is_given<Padding>)
      return attention(q, k, v, p, by_query(mask), by_key(padding));
    else if constexpr (is_given<Mask>)
      return attention(q, k, v, p, by_query(mask));
    else if constexpr (is_given<Padding>)
      return attention(q, k, v, p, by_key(padding));
    else
      return attention(q, k, v, p);
  }
  template <class Q, class K, class V, class... A>
  constexpr auto attend(const Q& query, const K& key, const V& value, const A&... keywords) const {
    using module_detail::flag, module_detail::keyword;
    constexpr i64 N = batch_of<Q>, L = length_of<Q>, S = length_of<K>;
    const auto [a, b, c] = projected(query, key, value);
    const auto q = heads<leads<Q>, N, L>(a);
    const auto k = lengthened<N>(heads<leads<Q>, N, S>(b), bias_k);
    const auto v = lengthened<N>(heads<leads<Q>, N, S>(c), bias_v);
    constexpr bool weights = flag<Keyword::need_weights, A...>(false);
    constexpr AttentionOptions options{.is_causal = flag<Keyword::is_causal, A...>(false)};
    constexpr ScaledDotProductAttentionOp<options, true, open, weights> attention{};
    const auto mask = keyword<Keyword::attn_mask>(keywords...);
    const auto padding = keyword<Keyword::key_padding_mask>(keywords...);
    constexpr module_detail::MultiheadMask<N, NumHeads, L, S, open, false> by_query{};
    constexpr module_detail::MultiheadMask<N, NumHeads, L, S, open, true> by_key{};
    const double p = mode.training ? static_cast<double>(dropout) : 0.0;
    const auto result = with_masks(attention, q, k, v, p, by_query, mask, by_key, padding);
    if constexpr (!weights) {
      return merged<Q, N, L>(result);
    } else {
      const auto output = merged<Q, N, L>(std::get<0>(result));
      constexpr bool average = flag<Keyword::average_attn_weights, A...>(true);
      const auto& w = std::get<1>(result);
      if constexpr (average && Q::rank == 2)
        return std::tuple{output, reshape<L, S + open>(mean<1>(w))};
      else if constexpr (average)
        return std::tuple{output, mean<1>(w)};
      else if constexpr (Q::rank == 2)
        return std::tuple{output, reshape<NumHeads, L, S + open>(w)};
      else
        return std::tuple{output, w};
    }
  }
  // (N, heads, L, head_dim) -> what the query was, through out_proj.
  template <class Q, i64 N, i64 L>
  constexpr auto merged(const auto& y) const {
    if constexpr (Q::rank == 2)
      return out_proj(reshape<L, EmbedDim>(permute<0, 2, 1, 3>(y)));
    else if constexpr (O.batch_first)
      return out_proj(reshape<N, L, EmbedDim>(permute<0, 2, 1, 3>(y)));
    else
      return out_proj(reshape<L, N, EmbedDim>(permute<2, 0, 1, 3>(y)));
  }
};

}  // namespace WEFT_NAMESPACE::nn
