#pragma once
// Rows of a table by number.

#include "weft/nn/param.hpp"

namespace weft::nn {

template <bool Ok, class Op, class... What>
struct IndexIsInteger {
  static_assert(Ok, "embedding: the indices must be integers (i32 or i64)");
};

namespace module_detail {
template <class W, class I>
struct embed_rule {
  static constexpr Dims value = ir::gathered(W::value, I::value);
};
struct Embed : Operation<Embed> {
  template <class I, class W>
  static constexpr auto apply(ir::Builder&, const I& index, const W& weight) {
    constexpr bool ok = is_integer(dtype_of<typename I::dtype>);
    static_assert(sizeof(IndexIsInteger<ok, Embed, typename I::dtype>) > 0);
    using R = Expr<typename W::dtype, shape_of<embed_rule<typename W::shape, typename I::shape>>>;
    if constexpr (ok)
      return R{ir::gather(weight.value, index.value)};
    else
      return weft::detail::refused<typename R::dtype, typename R::shape>(index, weight);
  }
};
}  // namespace module_detail

// indices (...) in [0, Count) -> (..., Size). weight (Count, Size), started as PyTorch's: standard normal.
template <i64 Count, i64 Size, class T = f32>
struct Embedding {
  Param<T, Shape<Count, Size>, init::Normal<>> weight{};
  constexpr auto operator()(const auto& index) const { return module_detail::Embed{}(index, weight); }
};

}  // namespace weft::nn
