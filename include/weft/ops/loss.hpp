#pragma once
// Losses. Labels of cross entropy outside [0, classes) are ignored (PyTorch's ignore_index is -100): they
// count neither in the sum nor in the mean.

#include "weft/ops/activation.hpp"

namespace weft {

// What: the logits' shape and the labels'.
template <bool Ok, class Op, class... What>
struct LabelsMatch {
  static_assert(Ok, "cross_entropy: labels must have the logits' shape without its last axis (the classes)");
};
template <bool Ok, class Op, class... What>
struct LabelsAreIntegers {
  static_assert(Ok, "cross_entropy: labels must be integers (i32 or i64)");
};

// logits (N, C) with labels (N,): mean over counted rows of logsumexp(logits) - logits[label].
struct CrossEntropy : Operation<CrossEntropy> {
  template <class X, class L>
  static constexpr auto apply(ir::Builder& b, const X& logits, const L& labels) {
    constexpr Dims d = X::shape::value, l = L::shape::value;
    constexpr bool ok = d.rank >= 1 && l == ir::dropped(d, d.rank > 0 ? 1u << (d.rank - 1) : 0u);
    static_assert(sizeof(LabelsMatch<ok, CrossEntropy, typename X::shape, typename L::shape>) > 0);
    static_assert(
        sizeof(LabelsAreIntegers<is_integer(dtype_of<typename L::dtype>), CrossEntropy, typename L::dtype>) >
        0);
    using T = floating<typename X::dtype>;
    if constexpr (ok) {
      constexpr i64 classes = d.extent[d.rank - 1];
      const auto x = Cast<T>::apply(b, logits);
      const ir::Value label = ir::reshape(labels.value, ir::reduced(d, 1u << (d.rank - 1)));
      // counted first: every gradient is divided by the count, and the rows' kernel can then do both
      // directions
      const ir::Value counted =
          ir::binary(ir::Op::bit_and, ir::binary(ir::Op::le, ir::constant_like(label, 0), label),
                     ir::binary(ir::Op::lt, label, ir::constant_like(label, classes)));
      const Dims rows = label.dims();
      const ir::Value one = ir::constant(b, dtype_of<T>, rows, 1),
                      zero = ir::constant(b, dtype_of<T>, rows, 0);
      const ir::Value count =
          ir::reduce(ir::Op::reduce_sum, ir::select(counted, one, zero), ir::all_axes(d.rank));
      const ir::Value column{&b, b.leaf(ir::Op::iota, label.dtype(), d, static_cast<u64>(d.rank - 1))};
      const ir::Value hit = ir::binary(ir::Op::eq, column, label);
      const auto shifted = sub(x, stop_gradient(max<-1>(x, keepdim)));
      const ir::Value picked =
          ir::reduce(ir::Op::reduce_sum, ir::select(hit, shifted.value, ir::constant_like(shifted.value, 0)),
                     1u << (d.rank - 1));
      const ir::Value row = log(sum<-1>(exp(shifted), keepdim)).value - picked;
      const ir::Value total =
          ir::reduce(ir::Op::reduce_sum, ir::select(counted, row, zero), ir::all_axes(d.rank));
      return Expr<T, Shape<>>{ir::reshape(total / count, Dims{})};
    } else {
      return detail::refused<T, Shape<>>(logits, labels);
    }
  }
};

// Mean of (a - b)^2.
struct MseLoss : Operation<MseLoss> {
  template <class A, class B>
  static constexpr auto apply(ir::Builder&, const A& a, const B& b) {
    static_assert(sizeof(ShapesEqual<std::is_same_v<shape_of_operand<A>, shape_of_operand<B>>, MseLoss,
                                     shape_of_operand<A>, shape_of_operand<B>>) > 0);
    const auto d = sub(a, b);
    return mean<>(mul(d, d));
  }
};

// Binary cross entropy on logits: mean of max(x, 0) - x t + log1p(exp(-|x|)).
struct BceWithLogits : Operation<BceWithLogits> {
  template <class A, class B>
  static constexpr auto apply(ir::Builder&, const A& x, const B& t) {
    static_assert(sizeof(ShapesEqual<std::is_same_v<shape_of_operand<A>, shape_of_operand<B>>, BceWithLogits,
                                     shape_of_operand<A>, shape_of_operand<B>>) > 0);
    return mean<>(add(sub(maximum(x, 0), mul(x, t)), log1p(exp(neg(abs(x))))));
  }
};

inline constexpr CrossEntropy cross_entropy{};
inline constexpr MseLoss mse_loss{};
inline constexpr BceWithLogits bce_with_logits{};

}  // namespace weft
