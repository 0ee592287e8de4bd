#pragma once
// Orthogonal polynomials of a degree known at compile time, by their three-term recurrences:
// torch.special.chebyshev_polynomial_t and its like. legendre_polynomial_p<3>(x) is P_3(x).

#include "weft/ops/pointwise_more.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(DegreeNotNegative, "the degree of an orthogonal polynomial is at least 0");

namespace detail {

// Families: the polynomial of degree 1, and the step from degrees k - 1 and k to k + 1.
struct ChebyshevStep {
  static constexpr auto next(const auto& x, const auto& now, const auto& before, int) {
    return sub(mul(mul(x, 2), now), before);
  }
};
struct ChebyshevT : ChebyshevStep {
  static constexpr auto first(const auto& x) { return x; }
};
struct ChebyshevU : ChebyshevStep {
  static constexpr auto first(const auto& x) { return mul(x, 2); }
};
struct ChebyshevV : ChebyshevStep {
  static constexpr auto first(const auto& x) { return sub(mul(x, 2), 1); }
};
struct ChebyshevW : ChebyshevStep {
  static constexpr auto first(const auto& x) { return add(mul(x, 2), 1); }
};
struct HermiteH {
  static constexpr auto first(const auto& x) { return mul(x, 2); }
  static constexpr auto next(const auto& x, const auto& now, const auto& before, int k) {
    return sub(mul(mul(x, 2), now), mul(before, 2 * k));
  }
};
struct HermiteHe {
  static constexpr auto first(const auto& x) { return x; }
  static constexpr auto next(const auto& x, const auto& now, const auto& before, int k) {
    return sub(mul(x, now), mul(before, k));
  }
};
struct LaguerreL {
  static constexpr auto first(const auto& x) { return sub(1, x); }
  static constexpr auto next(const auto& x, const auto& now, const auto& before, int k) {
    return div(sub(mul(sub(2 * k + 1, x), now), mul(before, k)), k + 1);
  }
};
struct LegendreP {
  static constexpr auto first(const auto& x) { return x; }
  static constexpr auto next(const auto& x, const auto& now, const auto& before, int k) {
    return div(sub(mul(mul(x, 2 * k + 1), now), mul(before, k)), k + 1);
  }
};

template <class Family, int N, bool Shifted>
struct OrthogonalF {
  static_assert(sizeof(DegreeNotNegative<(N >= 0), Family>) > 0);
  constexpr auto operator()(const auto& in) const {
    const auto x = shifted(real(in));
    using X = std::remove_cvref_t<decltype(x)>;
    X before{ir::constant_like(x.value, 1)};
    if constexpr (N <= 0) {
      return before;
    } else {
      X now = Family::first(x);
      for (int k = 1; k < N; ++k) {
        const X next = Family::next(x, now, before, k);
        before = now, now = next;
      }
      return now;
    }
  }

 private:
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
