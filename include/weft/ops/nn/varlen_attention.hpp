#pragma once
// Attention of sequences that lie one behind the other, without padding between them (FlashAttention's varlen
// form). Law: it is the attention of each sequence by itself; tiles of two sequences are not computed.

#include "weft/ir/along_axis.hpp"
#include "weft/ops/nn/flex_attention.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(SequencesArePacked,
             "varlen_attention: query (T, Hq, E), key (S, H, E) and value (S, H, Ev) have three axes, the "
             "tokens of all sequences one behind the other, and Hq is a multiple of H");
WEFT_REFUSAL(
    PackedOffsetsFit,
    "varlen_attention: behind query, key and value come the offsets of the sequences, N + 1 integers, i32 "
    "or i64, from 0 to the end of the last: cu_seqlens for queries and keys of as many tokens, or "
    "cu_seqlens_q, cu_seqlens_k");

namespace detail {

// Query i attends to the keys [first[i], end[i]).
struct InSequence {
  constexpr auto operator()(const auto&, const auto&, const auto& i, const auto& j, const auto& first,
                            const auto& end) const {
    return (j >= first[i]) & (j < end[i]);
  }
};

template <class Q, class K, class V, class... N>
struct varlen_rule {
  static constexpr Dims q = Q::shape::value, k = K::shape::value, v = V::shape::value;
  static constexpr bool packed = q.rank == 3 && k.rank == 3 && v.rank == 3 && k.extent[0] == v.extent[0] &&
                                 k.extent[1] == v.extent[1] && q.extent[2] == k.extent[2] &&
                                 k.extent[1] > 0 && q.extent[1] % k.extent[1] == 0;
  template <class T>
  static constexpr bool are_offsets(const Dims& d) {
    return (std::is_same_v<T, i32> || std::is_same_v<T, i64>)&&d.rank == 1 && d.extent[0] > 0;
  }
  static constexpr bool make() {
    constexpr Dims of[sizeof...(N) + 1]{N::shape::value..., Dims{}};
    return (are_offsets<typename N::dtype>(N::shape::value) && ... && true) &&
           ((sizeof...(N) == 1 && q.extent[0] == k.extent[0]) ||
            (sizeof...(N) == 2 && of[0] == of[sizeof...(N) - 1]));
  }
  static constexpr bool offsets = make();
};

}  // namespace detail

// Of q, k, v, and the offsets of queries and of keys.
template <AttentionOptions Options>
struct VarlenAttentionOp : Operation<VarlenAttentionOp<Options>> {
  template <ExprLike Q, ExprLike K, ExprLike V, class... N>
  static constexpr auto apply(ir::Builder& b, const Q& q, const K& k, const V& v, const N&... offsets) {
    using Rule = detail::varlen_rule<Q, K, V, N...>;
    static_assert(sizeof(SequencesArePacked<Rule::packed, VarlenAttentionOp, typename Q::shape,
                                            typename K::shape, typename V::shape>) > 0);
    static_assert(sizeof(PackedOffsetsFit < Rule::offsets || !Rule::packed, VarlenAttentionOp,
                         typename Q::shape, typename K::shape, N... >) > 0);
    if constexpr (!Rule::packed || !Rule::offsets)
      return q;
    else if constexpr (sizeof...(N) == 1)
      return attend(b, q, k, v, offsets..., offsets...);
    else
      return attend(b, q, k, v, offsets...);
  }

 private:
  template <class Q, class K, class V, class NQ, class NK>
  static constexpr auto attend(ir::Builder& b, const Q& q, const K& k, const V& v, const NQ& cu_seqlens_q,
                               const NK& cu_seqlens_k) {
    constexpr AttentionOptions options{.scale = Options.scale, .enable_gqa = true};
    using Attend = AttentionOp<options, detail::NoFunction, detail::InSequence, false>;
    const ir::Value of_queries = ir::cast(cu_seqlens_q.value, DType::i32),
                    of_keys = ir::cast(cu_seqlens_k.value, DType::i32);
    constexpr i64 tokens = Q::shape::value.extent[0], last = NQ::shape::value.extent[0] - 1;
    using PerQuery = Expr<i32, Shape<tokens>>;
    const ir::Value place{&b, b.leaf(ir::Op::iota, DType::i32, Shape<tokens>::value, 0)};
    const ir::Value above = ir::cast(ir::searchsorted(of_queries, place, true), DType::i32);
    const auto at = [&](ir::Value offsets, ir::Value index) {  // no index is behind the last
      return ir::take_along_axis(
          offsets,
          ir::binary(ir::Op::max, ir::binary(ir::Op::min, index, ir::constant_like(index, double{last})),
                     ir::constant_like(index, 0)),
          0);
    };
    const ir::Value first = at(of_keys, above - 1);
    ir::Value end = at(of_keys, above);
    if (Options.is_causal)  // the last query of a sequence attends to its last key
      end = ir::binary(ir::Op::min, end, place + 1 + end - at(of_queries, above));
    const auto y =
        Attend::apply(b, heads_first(q), heads_first(k), heads_first(v), PerQuery{first}, PerQuery{end});
    const i64 order[]{2, 1, 0, 3};
    using R = Expr<typename decltype(y)::dtype,
                   Shape<tokens, Q::shape::value.extent[1], V::shape::value.extent[2]>>;
    return R{ir::reshape(ir::permute(y.value, order), R::shape::value)};
  }

  template <class X>
  static constexpr auto heads_first(const X& x) {  // (T, H, E) -> (1, H, T, E)
    constexpr Dims d = X::shape::value;
    const i64 order[]{1, 0, 2};
    using R = Expr<typename X::dtype, Shape<1, d.extent[1], d.extent[0], d.extent[2]>>;
    return R{ir::reshape(ir::permute(x.value, order), R::shape::value)};
  }
};

// varlen_attention(query, key, value, cu_seqlens): query (T, Hq, E), key (T, H, E), value (T, H, Ev) -> (T,
// Hq, Ev). Sequence n has the tokens [cu_seqlens[n], cu_seqlens[n + 1]); tokens behind the last offset, of
// which there may be any number, give zeros. Queries and keys of other lengths have offsets of their own,
// cu_seqlens_q, cu_seqlens_k, as many of either. Hq / H neighbouring heads of the query share one of key and
// value. Options: scale; is_causal, where the last query of a sequence attends to its last key, as in
// FlashAttention.
template <AttentionOptions Options = AttentionOptions{}, class Q, class K, class V, class... N>
constexpr auto varlen_attention(const Q& query, const K& key, const V& value, const N&... cu_seqlens) {
  return VarlenAttentionOp<Options>{}(query, key, value, cu_seqlens...);
}

}  // namespace WEFT_NAMESPACE
