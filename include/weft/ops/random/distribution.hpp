#pragma once
// Random numbers of other distributions, with torch's names: normal, log_normal, exponential, cauchy,
// geometric, bernoulli. Every call is a stream of its own, as in random.hpp; no gradient flows to the
// parameters, as in PyTorch: for one, write mean + stddev * randn<f32, 4>().

#include "weft/ops/core/number_range.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/random/random.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

// Exponential with rate 1: -log(1 - u), at least what rounds up to the least uniform number that is not 0.
constexpr ir::Value exponential_bits(ir::Builder& b, const Dims& dims) {
  const ir::Value q = -ir::unary(ir::Op::log, 1.0 - uniform_bits(b, dims));
  return ir::binary(ir::Op::max, q, ir::constant_like(q, 2.98023223876953125e-8));  // 2^-25
}

// Kinds of numbers that a draw of f32 becomes, given the distribution's two parameters.
struct NormalKind {
  static constexpr double low = -unlimited, high = unlimited, low_second = 0;
  static constexpr ir::Value draw(ir::Builder& b, const Dims& d) { return normal_bits(b, d); }
  static constexpr auto shaped(const auto& z, const auto& mean, const auto& deviation) {
    return add(mul(z, deviation), mean);
  }
};
struct LogNormalKind : NormalKind {
  static constexpr double low_second = least_positive;
  static constexpr auto shaped(const auto& z, const auto& mean, const auto& deviation) {
    return exp(NormalKind::shaped(z, mean, deviation));
  }
};
struct ExponentialKind {
  static constexpr double low = least_positive, high = unlimited, low_second = 0;
  static constexpr ir::Value draw(ir::Builder& b, const Dims& d) { return exponential_bits(b, d); }
  static constexpr auto shaped(const auto& q, const auto& rate, const auto&) { return div(q, rate); }
};
struct CauchyKind {
  static constexpr double low = -unlimited, high = unlimited, low_second = least_positive;
  static constexpr ir::Value draw(ir::Builder& b, const Dims& d) { return uniform_bits(b, d); }
  static constexpr auto shaped(const auto& u, const auto& median, const auto& width) {
    return add(mul(tan(mul(sub(u, 0.5), 3.141592653589793)), width), median);
  }
};
// Trials up to the first success: the least k with 1 - (1 - p)^k >= u.
struct GeometricKind {
  static constexpr double low = least_positive, high = 1, low_second = 0;
  static constexpr ir::Value draw(ir::Builder& b, const Dims& d) { return uniform_bits(b, d); }
  static constexpr auto shaped(const auto& u, const auto& p, const auto&) {
    const auto failure = [&] {
      if constexpr (is_expr<std::remove_cvref_t<decltype(p)>>)
        return log1p(neg(p));
      else
        return log1p(neg(add(mul(u, 0), p)));
    }();
    return maximum(ceil(div(log1p(neg(u)), failure)), 1);
  }
};

// Of numbers that are known: draws, where the kind has such.
template <class Kind, class T, i64... D>
struct DistributionOp;
template <class Kind, class T, i64... D, class A, class B>
constexpr auto drawn(const A& first, const B& second) {
  constexpr bool counts = std::is_same_v<Kind, GeometricKind>;
  static_assert(sizeof(DrawnAreFloats < counts || is_float(dtype_of<T>), Kind, T >) > 0);
  return DistributionOp<Kind, T, D...>{}(checked_in(first, Kind::low, Kind::high, scale_text),
                                         checked_in(second, Kind::low_second, unlimited, scale_text));
}
// A parameter, to which no gradient flows.
template <class P>
constexpr auto constant_of(const P& p) {
  if constexpr (is_expr<P>)
    return stop_gradient(p);
  else
    return p;
}

template <class Kind, class T, i64... D>
struct DistributionOp : Operation<DistributionOp<Kind, T, D...>> {
  using weft_draws = void;
  template <class A, class B>
  static constexpr auto apply(ir::Builder& b, const A& first, const B& second) {
    if (!lies_in(first, Kind::low, Kind::high) || !lies_in(second, Kind::low_second, unlimited))
      return without_value<Expr<T, Shape<D...>>>(b, ir::Valueless::no_scale);
    using Wide = std::conditional_t<std::is_same_v<T, f64>, f64, f32>;
    const Expr<Wide, Shape<D...>> z{ir::cast(Kind::draw(b, Shape<D...>::value), dtype_of<Wide>)};
    const auto r = cast<Wide>(Kind::shaped(z, constant_of(first), constant_of(second)));
    return Expr<T, Shape<D...>>{ir::cast(r.value, dtype_of<T>)};
  }
};

}  // namespace detail

// Numbers of tensors of parameters, one for each element: normal(mean, stddev).
struct NormalOfOp : Operation<NormalOfOp> {
  using weft_draws = void;
  template <class A, class B>
  static constexpr auto apply(ir::Builder& b, const A& mean, const B& deviation) {
    using T = floating<common<A, B>>;
    using S = decltype(detail::broadcast_shapes<NormalOfOp, A, B>());
    if (!detail::lies_in(deviation, 0, detail::unlimited))
      return detail::without_value<Expr<T, S>>(b, ir::Valueless::no_scale);
    const ir::Value z = ir::cast(detail::normal_bits(b, S::value), dtype_of<T>);
    const auto parameter = [&](const auto& p) {
      return ir::unary(ir::Op::stop_gradient, ir::broadcast(detail::as_value<T>(b, p), S::value));
    };
    const ir::Value spread = parameter(deviation);
    return Expr<T, S>{z * spread + parameter(mean)};
  }
};
// 1 with probability x, 0 otherwise, in x's dtype.
struct BernoulliOfOp : Operation<BernoulliOfOp> {
  using weft_draws = void;
  template <class X>
  static constexpr auto apply(ir::Builder& b, const X& x) {
    static_assert(
        sizeof(DtypeAllowed<is_float(dtype_of<typename X::dtype>), BernoulliOfOp, typename X::dtype>) > 0);
    const ir::Value u = detail::uniform_bits(b, X::shape::value);
    using Wide = opmath<typename X::dtype>;
    const ir::Value hit =
        ir::binary(ir::Op::lt, ir::cast(u, dtype_of<Wide>), ir::cast(x.value, dtype_of<Wide>));
    return X{ir::cast(hit, dtype_of<typename X::dtype>)};
  }
};
template <class T, i64... D>
struct BernoulliOp : Operation<BernoulliOp<T, D...>> {
  using weft_draws = void;
  template <class P>
  static constexpr auto apply(ir::Builder& b, const P& p) {
    if (!detail::lies_in(p, 0, 1))
      return detail::without_value<Expr<T, Shape<D...>>>(b, ir::Valueless::no_share);
    const ir::Value u = detail::uniform_bits(b, Shape<D...>::value);
    const ir::Value hit =
        ir::binary(ir::Op::lt, u, ir::broadcast(detail::as_value<f32>(b, p), Shape<D...>::value));
    return Expr<T, Shape<D...>>{ir::cast(hit, dtype_of<T>)};
  }
};
// Integers in [low, high) with another tensor's dtype and shape.
struct RandIntLikeOp : Operation<RandIntLikeOp> {
  using weft_draws = void;
  template <ExprLike X, class A, class B>
  static constexpr auto apply(ir::Builder& b, const X&, const A& low, const B& high) {
    return of<typename X::dtype>(b, typename X::shape{}, low, high);
  }

 private:
  template <class T, i64... D, class A, class B>
  static constexpr auto of(ir::Builder& b, Shape<D...>, const A& low, const B& high) {
    if constexpr (is_integer(dtype_of<T>))
      return RandIntOp<T, D...>::apply(b, low, high);
    else
      return CastOp<T>::apply(b, RandIntOp<i64, D...>::apply(b, low, high));
  }
};

namespace spelled {
struct normal;
}
// normal<f32, 2, 3>(mean, stddev); normal(mean, stddev) where one at least is a tensor.
template <class T, i64... D, class M = int, class S = int>
constexpr auto normal(const M& mean = 0, const S& stddev = 1) {
  return detail::drawn<detail::NormalKind, T, D...>(mean, stddev);
}
template <class T, i64... D, class A, class B, class C, class... More>
constexpr auto normal(const A& mean, const B& stddev, const C&, const More&...) {  // a refusal
  static_assert(sizeof(SeedIsOfProgram<sizeof(C) == 0, spelled::normal, T, C>) > 0);
  return normal<T, D...>(mean, stddev);
}
template <class M, class S>
requires SomeOperands<M, S>
constexpr auto normal(const M& mean, const S& stddev) {
  return NormalOfOp{}(mean, detail::checked_in(stddev, 0, detail::unlimited, detail::scale_text));
}
// exp of a normal number
template <class T, i64... D, class M = int, class S = int>
constexpr auto log_normal(const M& mean = 1, const S& stddev = 2) {
  return detail::drawn<detail::LogNormalKind, T, D...>(mean, stddev);
}
template <class T, i64... D, class R = int>
constexpr auto exponential(const R& rate = 1) {
  return detail::drawn<detail::ExponentialKind, T, D...>(rate, 0);
}
template <class T, i64... D, class M = int, class S = int>
constexpr auto cauchy(const M& median = 0, const S& sigma = 1) {
  return detail::drawn<detail::CauchyKind, T, D...>(median, sigma);
}
// geometric<f32, 4>(p): 1, 2, ...
template <class T, i64... D, class P>
constexpr auto geometric(const P& p) {
  return detail::drawn<detail::GeometricKind, T, D...>(p, 0);
}
// bernoulli(x): x are the probabilities; bernoulli<f32, 2, 3>(p): one for all.
template <class X>
requires SomeOperands<X>
constexpr auto bernoulli(const X& x) { return BernoulliOfOp{}(x); }
WEFT_REFUSAL(ProbabilityHasShape,
             "bernoulli: one probability for all says no shape: write bernoulli<f32, 2, 3>(0.5f), or "
             "bernoulli(p) of a tensor of probabilities");
template <auto... None, class P>  // a refusal
requires std::is_arithmetic_v<P>
constexpr auto bernoulli(const P&) {
  static_assert(sizeof(ProbabilityHasShape<sizeof(P) == 0, P>) > 0);
  return AfterRefusal{};
}
template <class T, i64... D, class P>
constexpr auto bernoulli(const P& p) {
  return BernoulliOp<T, D...>{}(detail::checked_in(p, 0, 1, detail::share_text));
}
template <class X, class A, class B>
constexpr auto randint_like(const X& x, const A& low, const B& high) {
  detail::check_bounds<detail::dtype_in_type<X>>(low, high);
  return RandIntLikeOp{}(x, low, high);
}

}  // namespace WEFT_NAMESPACE
