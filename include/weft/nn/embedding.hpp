#pragma once
// Rows of a table by number, one by one (Embedding) or put together in bags (EmbeddingBag).

#include "weft/nn/param.hpp"
#include "weft/ops/index/scatter.hpp"
#include "weft/ops/index/sort.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/shape/rearrange.hpp"

namespace WEFT_NAMESPACE::nn {

WEFT_REFUSAL(
    IndexIsInteger,
    "embedding: the indices must be integers (i32 or i64), and come first: embedding(indices, table)");

// No row of the table stands for "nothing".
inline constexpr i64 no_padding = -1;

namespace init {
// As Normal<>, but one row starts as zeros.
template <i64 Padding>
struct NormalRows {
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    const ir::Value v = Normal<>::value(b, d);
    if (Padding < 0) return v;
    const ir::Value row{&b, b.leaf(ir::Op::iota, DType::i32, d, 0)};
    const ir::Value padding = ir::constant_like(row, static_cast<double>(Padding));
    return ir::select(ir::binary(ir::Op::eq, row, padding), ir::constant_like(v, 0), v);
  }
};
}  // namespace init

namespace module_detail {

template <class W, class I>
struct embed_rule {
  static constexpr bool has_room = I::rank + W::rank - 1 <= max_rank;
  static constexpr Dims make() { return has_room ? ir::gathered(W::value, I::value) : I::value; }
  static constexpr Dims value = make();
};
// The row named Padding is read, but gets no gradient.
template <i64 Padding>
struct Embed : Operation<Embed<Padding>> {
  template <ExprLike I, ExprLike W>
  static constexpr auto apply(ir::Builder&, const I& index, const W& weight) {
    constexpr bool ok = is_integer(dtype_of<typename I::dtype>);
    static_assert(sizeof(IndexIsInteger<ok, Embed, typename I::dtype>) > 0);
    using Rule = embed_rule<typename W::shape, typename I::shape>;
    static_assert(sizeof(ResultHasRoom<Rule::has_room, Embed, typename I::shape, typename W::shape>) > 0);
    using R = Expr<typename W::dtype, shape_of<Rule>>;
    if constexpr (!ok || !Rule::has_room) {
      return weft::detail::refused<typename R::dtype, typename R::shape>(index, weight);
    } else {
      const R rows{ir::take_rows(weight.value, index.value)};
      if constexpr (Padding < 0) {
        return rows;
      } else {
        using Column = Expr<bool, shape_of<weft::detail::unsqueeze_rule<typename I::shape, I::rank>>>;
        const auto is_padding = eq(index, Padding);
        return where(Column{ir::reshape(is_padding.value, Column::shape::value)}, stop_gradient(rows), rows);
      }
    }
  }
};

}  // namespace module_detail

// How an EmbeddingBag puts rows together.
enum class Bag { sum, mean, max };

// The layers below as functions of a table, with PyTorch's names. A row named Padding gets no gradient, and
// in a bag it does not count; an empty bag gives zeros. Of equal greatest elements all share the gradient
// (PyTorch: the first one gets it).
namespace functional {

// indices (...), table (rows, size) -> (..., size)
template <i64 Padding = no_padding, class I, class W>
constexpr auto embedding(const I& index, const W& table) {
  return module_detail::Embed<Padding>{}(index, table);
}

// indices (bags, length), table (rows, size) -> (bags, size)
template <Bag How = Bag::mean, i64 Padding = no_padding, class I, class W>
constexpr auto embedding_bag(const I& index, const W& table) {
  const auto rows = embedding<Padding>(index, table);
  const auto kept = unsqueeze<-1>(ne(index, Padding));
  if constexpr (How == Bag::max)
    return where(any<1>(kept), max<1>(where(kept, rows, -std::numeric_limits<double>::infinity())), 0);
  else if constexpr (How == Bag::mean)
    return div(sum<1>(where(kept, rows, 0)), maximum(count_nonzero<1>(kept), 1));
  else if constexpr (Padding < 0)
    return sum<1>(rows);
  else
    return sum<1>(where(kept, rows, 0));
}
// As sums, every row times its weight (bags, length).
template <i64 Padding = no_padding, class I, class W, class S>
constexpr auto weighted_embedding_bag(const I& index, const W& table, const S& weights) {
  const auto rows = mul(embedding<Padding>(index, table), unsqueeze<-1>(weights));
  return sum<1>(where(unsqueeze<-1>(ne(index, Padding)), rows, 0));
}
// indices (n), table (rows, size), where each bag begins (bags): ascending from 0 -> (bags, size)
template <Bag How = Bag::mean, i64 Padding = no_padding, class I, class W, class O>
constexpr auto embedding_bag(const I& index, const W& table, const O& offsets) {
  constexpr i64 bags = expr_of<O>::shape::size, size = expr_of<W>::shape::value[1];
  const auto rows = embedding<Padding>(index, table);
  const auto places = arange<typename expr_of<O>::dtype, expr_of<I>::shape::size>();
  const auto number = sub(searchsorted(offsets, places, right_side), 1);
  const auto of = where(eq(index, Padding), bags, number);
  const auto none = zeros<typename expr_of<W>::dtype, bags, size>();
  constexpr auto how = ReduceBy < How == Bag::sum ? Reduction::sum
                       : How == Bag::mean         ? Reduction::mean
                                                  : Reduction::amax > {};
  return index_reduce<0>(none, of, rows, how, exclude_self);
}

}  // namespace functional
}  // namespace WEFT_NAMESPACE::nn

namespace WEFT_NAMESPACE {
using nn::functional::embedding;
using nn::functional::embedding_bag;
}  // namespace WEFT_NAMESPACE

namespace WEFT_NAMESPACE::nn {

WEFT_REFUSAL(PaddingIsArgument,
             "the padding of an embedding is a template argument, as its sizes are: write "
             "nn::Embedding<1000, 64, f32, "
             "0>, and of bags nn::EmbeddingBag<1000, 64, nn::Bag::mean, f32, 0>");
WEFT_REFUSAL(
    PaddingIsRow,
    "the padding of an embedding is one of its rows, 0 to Count - 1: write nn::Embedding<1000, 64, f32, "
    "0>, or nothing behind the sizes for none");

// indices (...) in [0, Count) -> (..., Size). weight (Count, Size), started as PyTorch's: standard normal.
// The row Padding starts as zeros and is not trained.
template <i64 Count, i64 Size = not_given, class T = f32, i64 Padding = no_padding>
struct Embedding {
  static_assert(sizeof(PaddingIsRow < Padding >= no_padding && Padding<Count, Embedding>) > 0);
  Param<T, Shape<Count, Size>, init::NormalRows<Padding>> weight{};
  WEFT_REFUSED_LAYER_OPTION(padding_idx, PaddingIsArgument, Embedding)
  WEFT_REFUSED_CALLS
  constexpr auto operator()(const auto& index) const { return functional::embedding<Padding>(index, weight); }
};
template <i64 Count, class T, i64 Padding>
struct Embedding<Count, not_given, T, Padding> : WithoutSizes<spelled::Embedding, GivenSize<Count>> {
  using WithoutSizes<spelled::Embedding, GivenSize<Count>>::WithoutSizes;
};
WEFT_REFUSED_SIZES(Embedding, not_given)

// Rows put together in bags: of indices (bags, length), or of indices (n) and the places (bags) where each
// bag begins -> (bags, Size). PyTorch's per_sample_weights is functional::weighted_embedding_bag.
template <i64 Count, i64 Size = not_given, Bag How = Bag::mean, class T = f32, i64 Padding = no_padding>
struct EmbeddingBag {
  static_assert(sizeof(PaddingIsRow < Padding >= no_padding && Padding<Count, EmbeddingBag>) > 0);
  Param<T, Shape<Count, Size>, init::NormalRows<Padding>> weight{};
  WEFT_REFUSED_LAYER_OPTION(padding_idx, PaddingIsArgument, EmbeddingBag)
  WEFT_REFUSED_FORWARD
  constexpr auto operator()(const auto& index) const {
    return functional::embedding_bag<How, Padding>(index, weight);
  }
  constexpr auto operator()(const auto& index, const auto& offsets) const {
    return functional::embedding_bag<How, Padding>(index, weight, offsets);
  }
};
template <i64 Count, Bag How, class T, i64 Padding>
struct EmbeddingBag<Count, not_given, How, T, Padding> : WithoutSizes<spelled::Embedding, GivenSize<Count>> {
  using WithoutSizes<spelled::Embedding, GivenSize<Count>>::WithoutSizes;
};
WEFT_REFUSED_SIZES(EmbeddingBag, not_given)

}  // namespace WEFT_NAMESPACE::nn
