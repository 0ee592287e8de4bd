#pragma once
// Attention to keys and values that lie in pages of a pool, as a server keeps them for sequences that grow:
// a table says which pages are a sequence's. Law: it is the attention to the pages put together. They are:
// the step reads each page once and writes it in a row with the others of its sequence.

#include "weft/ops/nn/flex_attention.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    PagesFit,
    "paged_attention: query (B, Hq, L, E), the pages of keys (P, page, H, E) and those of values (P, "
    "page, H, Ev) have four axes, and Hq is a multiple of H");
WEFT_REFUSAL(
    PageTableFits,
    "paged_attention: behind query and pages come the table of pages (B, n) and the lengths (B), both of "
    "i32 or i64: paged_attention(q, key_pages, value_pages, block_table, lengths)");

namespace detail {

// The query at i of the last L tokens of a sequence attends to itself and those in front of it.
template <i64 Queries>
struct EndsWithLength {
  constexpr auto operator()(const auto& b, const auto&, const auto& i, const auto& j,
                            const auto& length) const {
    return j <= i + (length[b] - Queries);
  }
};

template <class Q, class K, class V, class N, class L>
struct paged_rule {
  static constexpr Dims q = Q::shape::value, k = K::shape::value, v = V::shape::value, n = N::shape::value,
                        l = L::shape::value;
  static constexpr bool fits() {
    if (q.rank != 4 || k.rank != 4 || v.rank != 4) return false;
    for (int a = 0; a < 3; ++a)
      if (k.extent[a] != v.extent[a]) return false;
    return k.extent[0] > 0 && k.extent[2] > 0 && q.extent[1] % k.extent[2] == 0 && q.extent[3] == k.extent[3];
  }
  template <class T>
  static constexpr bool is_index = std::is_same_v<T, i32> || std::is_same_v<T, i64>;
  static constexpr bool pages = fits();
  static constexpr bool table = is_index<typename N::dtype> && is_index<typename L::dtype> && n.rank == 2 &&
                                l.rank == 1 && n.extent[0] == q.extent[0] && l.extent[0] == q.extent[0] &&
                                n.extent[1] > 0;
};

}  // namespace detail

// Of q, the pages of keys and of values, the table and the lengths.
template <AttentionOptions Options>
struct PagedAttentionOp : Operation<PagedAttentionOp<Options>> {
  template <ExprLike Q, ExprLike K, ExprLike V, class N, class L>
  static constexpr auto apply(ir::Builder& b, const Q& q, const K& k, const V& v, const N& table,
                              const L& lengths) {
    using Rule = detail::paged_rule<Q, K, V, N, L>;
    static_assert(sizeof(PagesFit<Rule::pages, PagedAttentionOp, typename Q::shape, typename K::shape,
                                  typename V::shape>) > 0);
    static_assert(
        sizeof(PageTableFits < Rule::table || !Rule::pages, PagedAttentionOp, typename Q::shape, N, L >) > 0);
    if constexpr (!Rule::pages || !Rule::table) {
      return q;
    } else {
      constexpr AttentionOptions options{.scale = Options.scale, .enable_gqa = true};
      const ir::Value used = pages_of<Rule>(b, table.value, lengths.value);
      const auto keys = in_a_row<Rule>(k, used);
      const auto values = in_a_row<Rule>(v, used);
      if constexpr (Options.is_causal)
        return AttentionOp<options, detail::NoFunction, detail::EndsWithLength<Rule::q.extent[2]>,
                           true>::apply(b, q, keys, values, lengths, lengths);
      else
        return AttentionOp<options, detail::NoFunction, detail::NoFunction, true>::apply(b, q, keys, values,
                                                                                         lengths);
    }
  }

 private:
  // (B, n): those of the table as far as the lengths reach, and the first page in place of what lies behind.
  template <class Rule>
  static constexpr ir::Value pages_of(ir::Builder& b, ir::Value table, ir::Value lengths) {
    using ir::Op;
    const Dims all = Rule::n;
    Dims each = all, first = all;
    each.extent[1] = first.extent[1] = 1;
    const ir::Value begin = ir::Value{&b, b.leaf(Op::iota, DType::i64, all, 1)} *
                            static_cast<double>(Rule::k.extent[1]),
                    length = ir::broadcast(ir::reshape(ir::cast(lengths, DType::i64), each), all);
    const ir::Slice from_start[2]{};
    const ir::Value start = ir::broadcast(ir::slice(table, from_start, first), all);
    const ir::Value page = ir::select(ir::binary(Op::lt, begin, length), table, start);
    return ir::binary(
        Op::max,
        ir::binary(Op::min, page, ir::constant_like(page, static_cast<double>(Rule::k.extent[0] - 1))),
        ir::constant_like(page, 0));
  }
  // Pages (P, page, H, x) by (B, n) as (B, H, n page, x).
  template <class Rule, class X>
  static constexpr auto in_a_row(const X& x, ir::Value pages) {
    constexpr Dims d = X::shape::value, n = Rule::n;
    constexpr Dims lined{4, {n.extent[0], n.extent[1] * d.extent[1], d.extent[2], d.extent[3]}};
    const i64 order[]{0, 2, 1, 3};
    using R =
        Expr<typename X::dtype, Shape<lined.extent[0], lined.extent[2], lined.extent[1], lined.extent[3]>>;
    return R{ir::permute(ir::reshape(ir::take_rows(x.value, pages), lined), order)};
  }
};

// paged_attention(query, key_pages, value_pages, block_table, lengths): query (B, Hq, L, E), key_pages (P,
// page, H, E), value_pages (P, page, H, Ev) -> (B, Hq, L, Ev). Token t of sequence b lies in page
// block_table[b][t / page], at t % page; the table (B, n) and the lengths (B) are i32 or i64, and what of
// the table lies behind a length is not read. Hq / H neighbouring heads of the query share one of the pages.
// A sequence of length 0 gives zeros. Options: scale; is_causal, where the queries are a sequence's last L
// tokens.
template <AttentionOptions Options = AttentionOptions{}, class Q, class K, class V, class N, class L>
constexpr auto paged_attention(const Q& query, const K& key_pages, const V& value_pages, const N& block_table,
                               const L& lengths) {
  return PagedAttentionOp<Options>{}(query, key_pages, value_pages, block_table, lengths);
}

}  // namespace WEFT_NAMESPACE
