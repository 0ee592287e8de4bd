#pragma once
// Classes as rows of zeros and a one: torch.nn.functional.one_hot.

#include "weft/ops/index/gather.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(OneHotHasRoom, "one_hot<classes>(x): x has at most 7 axes, and there is at least one class");

namespace detail {
template <class S, i64 Classes>
struct one_hot_rule {
  static constexpr bool ok = S::rank < max_rank && Classes >= 1;
  static constexpr Dims make() {
    Dims r = S::value;
    if (ok) r.extent[r.rank++] = Classes;
    return r;
  }
  static constexpr Dims value = make();
};
}  // namespace detail

template <i64 Classes>
struct OneHotOp : Operation<OneHotOp<Classes>> {
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    using Rule = detail::one_hot_rule<typename X::shape, Classes>;
    constexpr bool integer = is_integer(dtype_of<typename X::dtype>);
    static_assert(sizeof(IndexIsInteger<integer, OneHotOp, typename X::dtype>) > 0);
    static_assert(sizeof(OneHotHasRoom<Rule::ok, OneHotOp, typename X::shape>) > 0);
    using R = Expr<i64, shape_of<Rule>>;
    if constexpr (integer && Rule::ok) {
      const ir::Value index = detail::as_index(x.value);
      const ir::Value column{
          &b, b.leaf(ir::Op::iota, index.dtype(), Rule::value, static_cast<u64>(Rule::value.rank - 1))};
      Dims line = X::shape::value;
      line.extent[line.rank++] = 1;
      return R{ir::cast(ir::binary(ir::Op::eq, column, ir::reshape(index, line)), DType::i64)};
    } else {
      return detail::refused<i64, typename R::shape>(x);
    }
  }
};

// one_hot<classes>(x): x (...) of classes -> (..., classes), i64. What is no class gives a row of zeros.
template <i64 Classes, class X>
constexpr auto one_hot(const X& x) {
  return OneHotOp<Classes>{}(x);
}

}  // namespace WEFT_NAMESPACE
