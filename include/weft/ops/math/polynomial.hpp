#pragma once
// Orthogonal polynomials of a degree known at compile time, by their three-term recurrences:
// torch.special.chebyshev_polynomial_t and its like. legendre_polynomial_p<3>(x) is P_3(x).

#include "weft/ops/math/rational.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(DegreeNotNegative, "the degree of an orthogonal polynomial is at least 0");

namespace detail {

// Families: the polynomial of degree 1, constant first, and the step from degrees k - 1 and k to k + 1:
// ((constant + linear x) now - last before) / divisor.
struct Recurrence {
  double constant, linear, last, divisor;
};
struct ChebyshevStep {
  static constexpr Recurrence step(int) { return {0, 2, 1, 1}; }
};
struct ChebyshevT : ChebyshevStep {
  static constexpr double first[]{0, 1};
};
struct ChebyshevU : ChebyshevStep {
  static constexpr double first[]{0, 2};
};
struct ChebyshevV : ChebyshevStep {
  static constexpr double first[]{-1, 2};
};
struct ChebyshevW : ChebyshevStep {
  static constexpr double first[]{1, 2};
};
struct HermiteH {
  static constexpr double first[]{0, 2};
  static constexpr Recurrence step(int k) { return {0, 2, 2.0 * k, 1}; }
};
struct HermiteHe {
  static constexpr double first[]{0, 1};
  static constexpr Recurrence step(int k) { return {0, 1, 1.0 * k, 1}; }
};
struct LaguerreL {
  static constexpr double first[]{1, -1};
  static constexpr Recurrence step(int k) { return {2.0 * k + 1, -1, 1.0 * k, k + 1.0}; }
};
struct LegendreP {
  static constexpr double first[]{0, 1};
  static constexpr Recurrence step(int k) { return {0, 2.0 * k + 1, 1.0 * k, k + 1.0}; }
};

// The polynomial's coefficients, the highest power first; `held` where they are no larger than any float
// holds.
template <class Family, int N>
struct PowersOf {
  struct Coefficients {
    double c[N + 1]{};
    bool held = true;
  };
  static constexpr Coefficients make() {
    Coefficients r;
    double before[N + 2]{1}, now[N + 2]{Family::first[0], Family::first[1]};  // the lowest power first
    for (int k = 1; k < N && r.held; ++k) {
      const Recurrence s = Family::step(k);
      double next[N + 2]{};
      for (int i = 0; i <= k + 1; ++i) {
        next[i] =
            (s.constant * now[i] + (i > 0 ? s.linear * now[i - 1] : 0) - s.last * before[i]) / s.divisor;
        r.held = r.held && next[i] < 1e30 && next[i] > -1e30;
      }
      for (int i = 0; i <= N; ++i) before[i] = now[i], now[i] = next[i];
    }
    for (int i = 0; i <= N; ++i) r.c[N - i] = now[i];
    return r;
  }
  static constexpr Coefficients powers = make();
};

template <class Family, int N, bool Shifted>
struct OrthogonalF {
  static_assert(sizeof(DegreeNotNegative<(N >= 0), Family>) > 0);
  constexpr auto operator()(const auto& in) const {
    const auto x = shifted(real(in));
    if constexpr (N <= 1) {
      return recurrence(x);
    } else if constexpr (PowersOf<Family, N>::powers.held) {
      // far from all roots by the powers of x, whose overflow is no NaN
      const auto far = gt(abs(x), 100.0 * (N + 1));
      return where(far, polynomial(where(far, x, 0), PowersOf<Family, N>::powers.c),
                   recurrence(where(far, 0, x)));
    } else {
      return recurrence(x);
    }
  }

 private:
  template <class X>
  static constexpr X recurrence(const X& x) {
    X before{ir::constant_like(x.value, 1)};
    if constexpr (N <= 0) return before;
    const auto line = [&](double constant, double linear) {
      const X slope = linear == 1 ? x : linear == -1 ? neg(x) : mul(x, linear);
      return constant == 0 ? slope : add(slope, constant);
    };
    X now = line(Family::first[0], Family::first[1]);
    for (int k = 1; k < N; ++k) {
      const Recurrence s = Family::step(k);
      const X sum = sub(mul(line(s.constant, s.linear), now), s.last == 1 ? before : mul(before, s.last));
      before = now, now = s.divisor == 1 ? sum : div(sum, s.divisor);
    }
    return now;
  }
  static constexpr auto shifted(const auto& x) {
    if constexpr (Shifted)
      return sub(mul(x, 2), 1);
    else
      return x;
  }
};

}  // namespace detail

// Of the first to the fourth kind; shifted: of 2 x - 1.
template <int N, class X>
constexpr auto chebyshev_polynomial_t(const X& x) {
  return detail::Composed<detail::InSingle<detail::OrthogonalF<detail::ChebyshevT, N, false>>>{}(x);
}
template <int N, class X>
constexpr auto chebyshev_polynomial_u(const X& x) {
  return detail::Composed<detail::InSingle<detail::OrthogonalF<detail::ChebyshevU, N, false>>>{}(x);
}
template <int N, class X>
constexpr auto chebyshev_polynomial_v(const X& x) {
  return detail::Composed<detail::InSingle<detail::OrthogonalF<detail::ChebyshevV, N, false>>>{}(x);
}
template <int N, class X>
constexpr auto chebyshev_polynomial_w(const X& x) {
  return detail::Composed<detail::InSingle<detail::OrthogonalF<detail::ChebyshevW, N, false>>>{}(x);
}
template <int N, class X>
constexpr auto shifted_chebyshev_polynomial_t(const X& x) {
  return detail::Composed<detail::InSingle<detail::OrthogonalF<detail::ChebyshevT, N, true>>>{}(x);
}
template <int N, class X>
constexpr auto shifted_chebyshev_polynomial_u(const X& x) {
  return detail::Composed<detail::InSingle<detail::OrthogonalF<detail::ChebyshevU, N, true>>>{}(x);
}
template <int N, class X>
constexpr auto shifted_chebyshev_polynomial_v(const X& x) {
  return detail::Composed<detail::InSingle<detail::OrthogonalF<detail::ChebyshevV, N, true>>>{}(x);
}
template <int N, class X>
constexpr auto shifted_chebyshev_polynomial_w(const X& x) {
  return detail::Composed<detail::InSingle<detail::OrthogonalF<detail::ChebyshevW, N, true>>>{}(x);
}
// The physicist's and the probabilist's.
template <int N, class X>
constexpr auto hermite_polynomial_h(const X& x) {
  return detail::Composed<detail::InSingle<detail::OrthogonalF<detail::HermiteH, N, false>>>{}(x);
}
template <int N, class X>
constexpr auto hermite_polynomial_he(const X& x) {
  return detail::Composed<detail::InSingle<detail::OrthogonalF<detail::HermiteHe, N, false>>>{}(x);
}
template <int N, class X>
constexpr auto laguerre_polynomial_l(const X& x) {
  return detail::Composed<detail::InSingle<detail::OrthogonalF<detail::LaguerreL, N, false>>>{}(x);
}
template <int N, class X>
constexpr auto legendre_polynomial_p(const X& x) {
  return detail::Composed<detail::InSingle<detail::OrthogonalF<detail::LegendreP, N, false>>>{}(x);
}

}  // namespace WEFT_NAMESPACE
