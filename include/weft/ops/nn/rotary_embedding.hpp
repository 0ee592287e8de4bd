#pragma once
// Rotary position embedding (Su et al., 2021): pairs of features turned by an angle that grows with the
// position. Law: the product of a turned query and a turned key depends on the difference of their positions.

#include "weft/ops/math/pointwise.hpp"

namespace WEFT_NAMESPACE {

struct RotaryOptions {
  double base = 10000;       // pair i of n turns by base^(-i / n) a position
  i64 dims = 0;              // so many leading features are turned, the rest stays; 0: all
  bool interleaved = false;  // pairs are neighbours (GPT-J), or features half of `dims` apart (Llama)
};

// What: the shape of x, then that of the positions if they are given.
WEFT_REFUSAL(RotaryFits,
             "rotary_embedding: x is (..., L, D), the turned features are an even number of the D, and the "
             "positions broadcast to (..., L)");

WEFT_REFUSAL(PositionsAreTensor,
             "rotary_embedding(x, positions): the positions are a tensor of integers, (L): the base is an "
             "option, rotary_embedding<RotaryOptions{.base = 500000}>(x)");
template <RotaryOptions Options>
struct RotaryEmbeddingOp : Operation<RotaryEmbeddingOp<Options>> {
  template <class X>
  struct rule {
    static constexpr Dims x = X::value;
    static constexpr i64 features = x.rank > 0 ? x.extent[x.rank - 1] : 0;
    static constexpr i64 dims = Options.dims > 0 ? Options.dims : features;
    static constexpr bool ok =
        x.rank >= 2 && x.rank < max_rank && dims > 0 && dims % 2 == 0 && dims <= features;

    static constexpr Dims lead(int rank) {
      Dims d = x;
      d.rank = rank;
      for (int i = rank; i < max_rank; ++i) d.extent[i] = 0;
      return d;
    }
    // (..., L)
    static constexpr Dims places = ok ? lead(x.rank - 1) : Dims{};
  };
  static constexpr bool fits(const Dims& p, const Dims& places) {
    return broadcastable(p, places) && broadcast(p, places) == places;
  }

  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    using Rule = rule<typename X::shape>;
    static_assert(sizeof(RotaryFits<Rule::ok, RotaryEmbeddingOp, typename X::shape>) > 0);
    static_assert(
        sizeof(DtypeAllowed<is_float(dtype_of<typename X::dtype>), RotaryEmbeddingOp, typename X::dtype>) >
        0);
    if constexpr (Rule::ok) {
      const i64 places[3]{Rule::x.extent[Rule::x.rank - 2], 1, 1};
      return X{turned<Rule>(x.value, {&b, b.leaf(ir::Op::iota, DType::i32, ir::make_dims(3, places), 0)})};
    } else {
      return x;
    }
  }
  template <ExprLike X, class P>
  static constexpr auto apply(ir::Builder&, const X& x, const P& positions) {
    using Rule = rule<typename X::shape>;
    using Places = shape_of_operand<P>;
    constexpr bool is_tensor = is_expr<P>;
    static_assert(sizeof(PositionsAreTensor<is_tensor, RotaryEmbeddingOp, P>) > 0);
    constexpr bool ok = is_tensor && Rule::ok && fits(Places::value, Rule::places);
    static_assert(sizeof(RotaryFits < ok || !is_tensor, RotaryEmbeddingOp, typename X::shape, Places >) > 0);
    static_assert(
        sizeof(DtypeAllowed<is_float(dtype_of<typename X::dtype>), RotaryEmbeddingOp, typename X::dtype>) >
        0);
    if constexpr (ok) {
      Dims apart = P::shape::value;
      apart.extent[apart.rank++] = 1;
      apart.extent[apart.rank++] = 1;
      return X{turned<Rule>(x.value, ir::reshape(positions.value, apart))};
    } else {
      return detail::refused<typename X::dtype, typename X::shape>(x, positions);
    }
  }

 private:
  // The features with their pairs apart: (..., 2, n), interleaved (..., n, 2). All turned at once: x cos + x'
  // sin, where x' has the parts of each pair exchanged and the first of them negated. positions (..., L, 1,
  // 1).
  template <class Rule>
  static constexpr ir::Value turned(ir::Value x, ir::Value positions) {
    constexpr i64 pairs = Rule::dims / 2;
    constexpr int rank = Rule::x.rank, pair_axis = Options.interleaved ? rank : rank - 1;
    const DType own = x.dtype(), work = own == DType::f64 ? own : DType::f32;
    ir::Builder& b = *x.builder;

    ir::Slices axes;
    Dims front = Rule::x;
    front.extent[rank - 1] = Rule::dims;
    Dims split = front;
    split.rank = rank + 1;
    split.extent[rank - 1] = Options.interleaved ? pairs : 2;
    split.extent[rank] = Options.interleaved ? 2 : pairs;
    const ir::Value v = ir::cast(ir::reshape(ir::slice(x, axes, front), split), work);
    ir::Slices exchange;
    exchange[pair_axis] = {1, -1};
    const ir::Value other = ir::slice(v, exchange, split);

    const auto along = [&](int axis, i64 extent) {
      Dims d;
      d.rank = 2;
      d.extent[0] = d.extent[1] = 1;
      d.extent[axis] = extent;
      return ir::cast(ir::Value{&b, b.leaf(ir::Op::iota, DType::i32, d, static_cast<u64>(axis))}, work);
    };
    const ir::Value exponent =
        along(Options.interleaved ? 0 : 1, pairs) * (-2.0 / static_cast<double>(Rule::dims));
    const ir::Value speed = ir::binary(ir::Op::pow, ir::constant_like(exponent, Options.base), exponent);
    const ir::Value angle = ir::cast(positions, work) * speed;
    const ir::Value signs = along(Options.interleaved ? 1 : 0, 2) * 2.0 - 1.0;
    const ir::Value result =
        ir::cast(v * ir::unary(ir::Op::cos, angle) + other * signs * ir::unary(ir::Op::sin, angle), own);
    const ir::Value whole = ir::reshape(result, front);
    if constexpr (Rule::dims == Rule::features) {
      return whole;
    } else {
      i64 widths[2 * max_rank]{};
      widths[2 * rank - 1] = Rule::features - Rule::dims;
      const ir::Value place{&b, b.leaf(ir::Op::iota, DType::i32, Rule::x, static_cast<u64>(rank - 1))};
      const ir::Value inside =
          ir::binary(ir::Op::lt, place, ir::constant_like(place, static_cast<double>(Rule::dims)));
      return ir::select(inside, ir::pad(whole, widths, 0), x);
    }
  }
};

// rotary_embedding<RotaryOptions{.interleaved = true}>(x, positions): x (..., L, D), positions numbers that
// broadcast to (..., L); without them 0, 1, ..., L - 1. Angles are taken in f32, of f64 in f64.
template <RotaryOptions Options = RotaryOptions{}, class X>
constexpr auto rotary_embedding(const X& x) {
  return RotaryEmbeddingOp<Options>{}(x);
}
template <RotaryOptions Options = RotaryOptions{}, class X, class P>
constexpr auto rotary_embedding(const X& x, const P& positions) {
  return RotaryEmbeddingOp<Options>{}(x, positions);
}

}  // namespace WEFT_NAMESPACE
