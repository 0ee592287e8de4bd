#pragma once
// Window functions as literals: torch.signal.windows, symmetric unless Sym is false, and torch.hann_window
// and its like, periodic unless Periodic is false. They join the graph at their first use.

#include "weft/ops/math/modified_bessel.hpp"
#include "weft/ops/shape/creation.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(WindowIsFloating, "a window is of floats and has no negative length");

namespace detail {

// Windows of N numbers; what is symmetric ends where it began, what is periodic one place before.
template <class T, i64 N, bool Sym>
struct WindowOf {
  using Wide = opmath<T>;
  static_assert(sizeof(WindowIsFloating < is_float(dtype_of<T>) && N >= 0, WindowOf >) > 0);
  // Places 0, 1, ... N - 1, and how many steps there are from end to end.
  static constexpr auto places(ir::Builder& b) {
    const ir::Value i{&b, b.leaf(ir::Op::iota, DType::i32, Shape<N>::value, 0)};
    return Expr<Wide, Shape<N>>{ir::cast(i, dtype_of<Wide>)};
  }
  static constexpr double steps = Sym ? (N > 1 ? static_cast<double>(N - 1) : 1) : static_cast<double>(N);
  static constexpr auto made(const auto& w) { return Expr<T, Shape<N>>{ir::cast(w.value, dtype_of<T>)}; }
  static constexpr auto ones(ir::Builder& b) {
    return Expr<T, Shape<N>>{ir::constant(b, dtype_of<T>, Shape<N>::value, 1)};
  }
};

// a_0 - a_1 cos(t) + a_2 cos(2 t) - ..., t from 0 to 2 pi.
template <class T, i64 N, bool Sym>
struct CosineSumOp : Operation<CosineSumOp<T, N, Sym>> {
  using weft_creates = void;
  template <class... A>
  static constexpr auto apply(ir::Builder& b, const A&... a) {
    using W = WindowOf<T, N, Sym>;
    if constexpr (N == 1) {
      return W::ones(b);
    } else {
      const auto t = mul(W::places(b), 2 * pi / (W::steps > 0 ? W::steps : 1));
      auto sum = mul(t, 0);
      int k = 0;
      const auto term = [&](const auto& weight) {
        sum = add(sum, mul(cos(mul(t, k)),
                           mul(Expr<typename W::Wide, Shape<>>{as_value<typename W::Wide>(b, weight)},
                               k % 2 == 0 ? 1 : -1)));
        ++k;
      };
      (term(a), ...);
      return W::made(sum);
    }
  }
};
// 1 - |k|, k from -1 to 1.
template <class T, i64 N, bool Sym>
struct BartlettOp : Operation<BartlettOp<T, N, Sym>> {
  using weft_creates = void;
  static constexpr auto apply(ir::Builder& b) {
    using W = WindowOf<T, N, Sym>;
    if constexpr (N == 1)
      return W::ones(b);
    else
      return W::made(sub(1, abs(sub(mul(W::places(b), 2 / (W::steps > 0 ? W::steps : 1)), 1))));
  }
};
// The half wave of a sine, between places.
template <class T, i64 N, bool Sym>
struct CosineWindowOp : Operation<CosineWindowOp<T, N, Sym>> {
  using weft_creates = void;
  static constexpr auto apply(ir::Builder& b) {
    using W = WindowOf<T, N, Sym>;
    return W::made(
        sin(mul(add(W::places(b), 0.5), pi / static_cast<double>(Sym || N <= 1 ? (N > 0 ? N : 1) : N + 1))));
  }
};
// exp(-|k - centre| / tau)
template <class T, i64 N, bool Sym>
struct ExponentialWindowOp : Operation<ExponentialWindowOp<T, N, Sym>> {
  using weft_creates = void;
  template <class Tau>
  static constexpr auto apply(ir::Builder& b, const Tau& tau) {
    return apply(b, tau, N > 1 ? WindowOf<T, N, Sym>::steps / 2 : 0.0);
  }
  template <class Tau, class C>
  static constexpr auto apply(ir::Builder& b, const Tau& tau, const C& centre) {
    using W = WindowOf<T, N, Sym>;
    return W::made(exp(neg(div(abs(sub(W::places(b), centre)), tau))));
  }
};
// exp(-((k - centre) / deviation)^2 / 2)
template <class T, i64 N, bool Sym>
struct GaussianWindowOp : Operation<GaussianWindowOp<T, N, Sym>> {
  using weft_creates = void;
  template <class D>
  static constexpr auto apply(ir::Builder& b, const D& deviation) {
    using W = WindowOf<T, N, Sym>;
    if constexpr (N == 1) {
      return W::ones(b);
    } else {
      const auto k = div(sub(W::places(b), W::steps / 2), deviation);
      return W::made(exp(mul(mul(k, k), -0.5)));
    }
  }
};
// I_0(beta sqrt(1 - k^2)) / I_0(beta), k from -1 to 1.
template <class T, i64 N, bool Sym>
struct KaiserWindowOp : Operation<KaiserWindowOp<T, N, Sym>> {
  using weft_creates = void;
  template <class B>
  static constexpr auto apply(ir::Builder& b, const B& beta) {
    using W = WindowOf<T, N, Sym>;
    if constexpr (N == 1) {
      return W::ones(b);
    } else {
      const auto k = sub(mul(cast<double>(W::places(b)), 2 / (W::steps > 0 ? W::steps : 1)), 1);
      const Expr<double, Shape<>> width{as_value<double>(b, beta)};
      const auto inside = sub(1, mul(k, k));
      const auto root = sqrt(where(lt(inside, 0), 0, inside));
      return W::made(div(BesselIF<0, false>{}(mul(root, width)), BesselIF<0, false>{}(width)));
    }
  }
};

}  // namespace detail

// torch.signal.windows: hann<f32, 8>(), hann<f32, 8, false>() for sym=False; parameters are arguments.
namespace signal::windows {

template <class T, i64 N, bool Sym = true>
constexpr auto bartlett() {
  return weft::detail::BartlettOp<T, N, Sym>{}();
}
template <class T, i64 N, bool Sym = true>
constexpr auto blackman() {
  return weft::detail::CosineSumOp<T, N, Sym>{}(0.42, 0.5, 0.08);
}
template <class T, i64 N, bool Sym = true>
constexpr auto cosine() {
  return weft::detail::CosineWindowOp<T, N, Sym>{}();
}
template <class T, i64 N, bool Sym = true, class Tau = double>
constexpr auto exponential(const Tau& tau = 1.0) {
  return weft::detail::ExponentialWindowOp<T, N, Sym>{}(tau);
}
// exponential<f32, 8, false>(tau, centre): a centre of one's own, of what is not symmetric.
template <class T, i64 N, bool Sym, class Tau, class C>
requires(!Sym) constexpr auto exponential(const Tau& tau, const C& centre) {
  return weft::detail::ExponentialWindowOp<T, N, false>{}(tau, centre);
}
template <class T, i64 N, bool Sym = true, class D = double>
constexpr auto gaussian(const D& stddev = 1.0) {
  return weft::detail::GaussianWindowOp<T, N, Sym>{}(stddev);
}
// general_cosine<f32, 8>(a0, a1, ...)
template <class T, i64 N, bool Sym = true, class... A>
constexpr auto general_cosine(const A&... a) {
  return weft::detail::CosineSumOp<T, N, Sym>{}(a...);
}
template <class T, i64 N, bool Sym = true>
constexpr auto general_hamming(double alpha = 0.54) {
  return weft::detail::CosineSumOp<T, N, Sym>{}(alpha, 1 - alpha);
}
template <class T, i64 N, bool Sym = true>
constexpr auto hamming() {
  return general_hamming<T, N, Sym>();
}
template <class T, i64 N, bool Sym = true>
constexpr auto hann() {
  return general_hamming<T, N, Sym>(0.5);
}
template <class T, i64 N, bool Sym = true, class B = double>
constexpr auto kaiser(const B& beta = 12.0) {
  return weft::detail::KaiserWindowOp<T, N, Sym>{}(beta);
}
template <class T, i64 N, bool Sym = true>
constexpr auto nuttall() {
  return weft::detail::CosineSumOp<T, N, Sym>{}(0.3635819, 0.4891775, 0.1365995, 0.0106411);
}

}  // namespace signal::windows

// Constrained, so that they are chosen before the refusals of call_spelling.hpp.

// bartlett_window<f32, 8>() and so on: torch.bartlett_window(8).
template <class T, i64 N, bool Periodic = true>
requires Element<T>
constexpr auto bartlett_window() { return signal::windows::bartlett<T, N, !Periodic>(); }
template <class T, i64 N, bool Periodic = true>
requires Element<T>
constexpr auto blackman_window() { return signal::windows::blackman<T, N, !Periodic>(); }
template <class T, i64 N, bool Periodic = true>
requires Element<T>
constexpr auto hamming_window(double alpha = 0.54, double beta = 0.46) {
  return detail::CosineSumOp<T, N, !Periodic>{}(alpha, beta);
}
template <class T, i64 N, bool Periodic = true>
requires Element<T>
constexpr auto hann_window() { return signal::windows::hann<T, N, !Periodic>(); }
template <class T, i64 N, bool Periodic = true, class B = double>
constexpr auto kaiser_window(const B& beta = 12.0) {
  return signal::windows::kaiser<T, N, !Periodic>(beta);
}

}  // namespace WEFT_NAMESPACE
