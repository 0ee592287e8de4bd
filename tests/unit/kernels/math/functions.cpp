#include "weft/kernels/math/functions.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>

#include "weft/kernels/simd/load_store.hpp"

// The reference is the C library in double; an error is measured in units of the last place of the float
// nearest to it (of the smallest subnormal at least), so a correctly rounded function scores at most 0.5.

namespace {

using namespace weft;
using kernels::Simd, kernels::lanes;
namespace k = weft::kernels;

constexpr float inf = std::numeric_limits<float>::infinity();
const float not_a_number = std::nanf("");

double ulp_of(double reference) {
  int exponent = 0;
  std::frexp(reference, &exponent);
  return std::ldexp(1.0, exponent - 24 < -149 ? -149 : exponent - 24);
}

// The error of y in ulps; infinite if one is NaN and the other is not, or where infinities disagree.
double error_in_ulps(float y, double reference) {
  if (std::isnan(reference) || std::isnan(y)) return std::isnan(reference) && std::isnan(y) ? 0 : HUGE_VAL;
  const float nearest = static_cast<float>(reference);
  if (std::isinf(y) || std::isinf(nearest)) {
    if (y == nearest) return 0;
    // One ulp past the largest float is where infinity begins.
    const double top = std::ldexp(1.0, 128);
    const double a = std::isinf(y) ? std::copysign(top, y) : y;
    return std::fabs(a - reference) / std::ldexp(1.0, 104);
  }
  return std::fabs(y - reference) / ulp_of(reference);
}

// Every float that is `step` codes apart in [low, high], through Simds and through scalars, which must agree.
template <class F, class G>
double worst(const std::string& name, F f, G reference, float low, float high, u32 step) {
  const auto order = [](float x) {  // floats as integers in their own order
    const i32 b = to_bits(x);
    return b < 0 ? -static_cast<i64>(b & 0x7fffffff) : static_cast<i64>(b);
  };
  const auto number = [](i64 o) { return from_bits(static_cast<i32>(o < 0 ? (-o | 0x80000000) : o)); };
  double worst_error = 0;
  float worst_at = 0;
  bool same = true;
  for (i64 at = order(low); at <= order(high); at += i64{lanes} * step) {
    float x[lanes];
    for (int i = 0; i < lanes; ++i) {
      const i64 o = at + i64{i} * step;
      x[i] = number(o > order(high) ? order(high) : o);
    }
    const Simd<float> y = f(k::load<Simd<float>>(x));
    const int one = static_cast<int>((at / lanes) & 15);
    const float scalar = f(x[one]);
    same = same && (to_bits(scalar) == to_bits(y[one]) || (std::isnan(scalar) && std::isnan(y[one])));
    for (int i = 0; i < lanes; ++i) {
      const double error = error_in_ulps(y[i], reference(static_cast<double>(x[i])));
      if (error > worst_error) worst_error = error, worst_at = x[i];
    }
  }
  MESSAGE(name << " on [" << low << ", " << high << "]: " << worst_error << " ulp at " << worst_at);
  CHECK_MESSAGE(same, name << ": Simds and scalars differ");
  return worst_error;
}

// A prime step: about 1.4 million floats of the whole range. Build with -DWEFT_TEST_EVERY_FLOAT to take them
// all.
#if defined(WEFT_TEST_EVERY_FLOAT)
constexpr u32 sparse = 101, dense = 1;
#else
constexpr u32 sparse = 3001, dense = 97;
#endif
constexpr float largest = std::numeric_limits<float>::max();

#define WEFT_WORST(name, low, high, step)                                                                \
  worst(                                                                                                 \
      #name, [](const auto& x) { return k::name(x); }, [](double x) { return std::name(x); }, low, high, \
      step)

}  // namespace

TEST_CASE("math: exponentials are within 2 ulp everywhere") {
  CHECK(WEFT_WORST(exp, -inf, inf, sparse) <= 1.2);
  CHECK(WEFT_WORST(exp, -105.0f, -1e-3f, dense) <= 1.2);
  CHECK(WEFT_WORST(exp, 1e-3f, 89.0f, dense) <= 1.2);
  CHECK(WEFT_WORST(exp2, -inf, inf, sparse) <= 1.2);
  CHECK(WEFT_WORST(exp2, 0.1f, 129.0f, dense) <= 1.2);
  CHECK(WEFT_WORST(exp2, -151.0f, -0.1f, dense) <= 1.2);
  CHECK(WEFT_WORST(expm1, -inf, inf, sparse) <= 2.0);
  CHECK(WEFT_WORST(expm1, 0.01f, 89.0f, dense) <= 2.0);
  CHECK(WEFT_WORST(expm1, -18.0f, -0.01f, dense) <= 2.0);
}

TEST_CASE("math: logarithms are within 2 ulp everywhere") {
  CHECK(WEFT_WORST(log, 0.0f, inf, sparse) <= 1.5);
  CHECK(WEFT_WORST(log, 0.25f, 4.0f, dense) <= 1.5);
  CHECK(WEFT_WORST(log2, 0.0f, inf, sparse) <= 2.0);
  CHECK(WEFT_WORST(log2, 0.25f, 4.0f, dense) <= 2.0);
  CHECK(WEFT_WORST(log1p, -1.0f, inf, sparse) <= 2.0);
  CHECK(WEFT_WORST(log1p, -0.999f, -0.001f, dense) <= 2.0);
  CHECK(WEFT_WORST(log1p, 0.001f, 100.0f, dense) <= 2.0);
}

TEST_CASE("math: hyperbolic functions are within 2 ulp everywhere") {
  CHECK(WEFT_WORST(sinh, -inf, inf, sparse) <= 2.0);
  CHECK(WEFT_WORST(sinh, 0.1f, 90.0f, dense) <= 2.0);
  CHECK(WEFT_WORST(cosh, -inf, inf, sparse) <= 2.0);
  CHECK(WEFT_WORST(cosh, 0.1f, 90.0f, dense) <= 2.0);
  CHECK(WEFT_WORST(tanh, -inf, inf, sparse) <= 2.0);
  CHECK(WEFT_WORST(tanh, 0.1f, 10.0f, dense) <= 2.0);
}

TEST_CASE("math: error functions are within 2 ulp everywhere") {
  CHECK(WEFT_WORST(erf, -inf, inf, sparse) <= 2.0);
  CHECK(WEFT_WORST(erf, 0.05f, 4.1f, dense) <= 2.0);
  CHECK(WEFT_WORST(erfc, -inf, inf, sparse) <= 2.0);
  CHECK(WEFT_WORST(erfc, 0.05f, 10.3f, dense) <= 2.0);
  CHECK(WEFT_WORST(erfc, -4.1f, -0.05f, dense) <= 2.0);
}

TEST_CASE("math: trigonometric functions are within 2 ulp everywhere, huge arguments included") {
  CHECK(WEFT_WORST(sin, -largest, largest, sparse) <= 2.0);
  CHECK(WEFT_WORST(sin, 0.1f, 100.0f, dense) <= 2.0);
  CHECK(WEFT_WORST(cos, -largest, largest, sparse) <= 2.0);
  CHECK(WEFT_WORST(cos, 0.1f, 100.0f, dense) <= 2.0);
  CHECK(WEFT_WORST(tan, -largest, largest, sparse) <= 2.0);
  CHECK(WEFT_WORST(tan, 0.1f, 100.0f, dense) <= 2.0);
}

// What a GPU's thread computes, lane by lane.
template <class F>
struct Narrow {
  F f;
  float operator()(float x) const { return f(x, k::detail::reduce_narrow(x)); }
  Simd<float> operator()(const Simd<float>& x) const {
    float y[lanes];
    for (int i = 0; i < lanes; ++i) y[i] = (*this)(x[i]);
    return k::load<Simd<float>>(y);
  }
};
template <class F>
Narrow(F) -> Narrow<F>;

TEST_CASE("math: trigonometric functions of a GPU's thread are within 2 ulp everywhere") {
  using Reduced = k::detail::TrigReduction<float>;
  const Narrow sine{[](float x, const Reduced& r) { return x == 0 ? x : k::detail::sin_shifted(r, 0); }};
  const Narrow cosine{[](float, const Reduced& r) { return k::detail::sin_shifted(r, 1); }};
  const Narrow tangent{[](float x, const Reduced& r) { return k::detail::tan_reduced(x, r); }};
  const auto in = [](double (*f)(double)) { return [f](double x) { return f(x); }; };
  CHECK(worst("sin", sine, in(std::sin), -largest, largest, sparse) <= 2.0);
  CHECK(worst("sin", sine, in(std::sin), 0.1f, 2e5f, dense) <= 2.0);
  CHECK(worst("cos", cosine, in(std::cos), -largest, largest, sparse) <= 2.0);
  CHECK(worst("cos", cosine, in(std::cos), 0.1f, 2e5f, dense) <= 2.0);
  CHECK(worst("tan", tangent, in(std::tan), -largest, largest, sparse) <= 2.0);
  CHECK(worst("tan", tangent, in(std::tan), 0.1f, 2e5f, dense) <= 2.0);
}

TEST_CASE("math: inverse trigonometric functions are within 2 ulp everywhere") {
  CHECK(WEFT_WORST(asin, -1.0f, 1.0f, sparse) <= 2.0);
  CHECK(WEFT_WORST(asin, 0.1f, 1.0f, dense) <= 2.0);
  CHECK(WEFT_WORST(acos, -1.0f, 1.0f, sparse) <= 2.0);
  CHECK(WEFT_WORST(acos, 0.1f, 1.0f, dense) <= 2.0);
  CHECK(WEFT_WORST(acos, -1.0f, -0.1f, dense) <= 2.0);
  CHECK(WEFT_WORST(atan, -inf, inf, sparse) <= 2.0);
  CHECK(WEFT_WORST(atan, 0.1f, 20.0f, dense) <= 2.0);
}

TEST_CASE("math: square roots") {
  CHECK(WEFT_WORST(sqrt, -largest, inf, sparse) <= 0.5);
  CHECK(worst(
            "rsqrt", [](const auto& x) { return k::rsqrt(x); }, [](double x) { return 1 / std::sqrt(x); },
            1e-45f, inf, sparse) <= 1.5);
  CHECK(k::rsqrt(0.0f) == inf);
  CHECK(std::isnan(k::rsqrt(-1.0f)));
}

TEST_CASE("math: rounding to integers is exact, signs of zero included") {
  const auto exact = [](const char* name, auto f, auto reference) {
    int wrong = 0;
    const auto compare = [&](float x) {
      const float a = f(x), b = reference(x), c = f(k::splat<Simd<float>>(x))[5];
      if (std::isnan(x)) {
        wrong += !std::isnan(a) || !std::isnan(c);
      } else {
        wrong += to_bits(a) != to_bits(b) || to_bits(c) != to_bits(b);
      }
    };
    for (i64 bits = 0; bits < (i64{1} << 32); bits += 2003)
      compare(from_bits(static_cast<i32>(static_cast<u32>(bits))));
    for (float x : {0.0f, 0.5f, 1.5f, 2.5f, 0.49999997f, 0.99999994f, 8388607.5f, 8388608.0f, 4194304.5f,
                    1e-45f, inf, not_a_number}) {
      compare(x);
      compare(-x);
    }
    CHECK_MESSAGE(wrong == 0, name);
  };
  exact(
      "floor", [](const auto& x) { return k::floor(x); }, [](float x) { return std::floor(x); });
  exact(
      "ceil", [](const auto& x) { return k::ceil(x); }, [](float x) { return std::ceil(x); });
  exact(
      "trunc", [](const auto& x) { return k::trunc(x); }, [](float x) { return std::trunc(x); });
  exact(
      "round", [](const auto& x) { return k::round(x); }, [](float x) { return std::nearbyint(x); });
  exact(
      "abs", [](const auto& x) { return k::abs(x); }, [](float x) { return std::fabs(x); });
}

namespace {

// What IEC 60559 (C, annex F) says of the ends: the C library's float function must agree in bits where the
// result is zero, infinite or NaN.
template <class F, class G>
void check_special(const std::string& name, F f, G reference) {
  for (float x : {0.0f, 1.0f, inf, not_a_number, 1e-45f, 1e-40f, largest, 2.0f, 200.0f}) {
    for (float s : {1.0f, -1.0f}) {
      const float expected = reference(s * x);
      for (float got : {f(s * x), static_cast<float>(f(k::splat<Simd<float>>(s * x))[11])}) {
        CAPTURE(name);
        CAPTURE(s * x);
        CAPTURE(got);
        if (std::isnan(expected)) {
          CHECK(std::isnan(got));
        } else if (expected == 0 || std::isinf(expected)) {
          CHECK(to_bits(got) == to_bits(expected));
        } else {
          CHECK(std::fabs(got - expected) <= 2 * ulp_of(expected));
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("math: zeros, infinities, NaN and subnormal numbers") {
#define WEFT_SPECIAL(name) \
  check_special(           \
      #name, [](const auto& x) { return k::name(x); }, [](float x) { return std::name(x); })
  WEFT_SPECIAL(exp);
  WEFT_SPECIAL(exp2);
  WEFT_SPECIAL(expm1);
  WEFT_SPECIAL(log);
  WEFT_SPECIAL(log2);
  WEFT_SPECIAL(log1p);
  WEFT_SPECIAL(sinh);
  WEFT_SPECIAL(cosh);
  WEFT_SPECIAL(tanh);
  WEFT_SPECIAL(erf);
  WEFT_SPECIAL(erfc);
  WEFT_SPECIAL(sin);
  WEFT_SPECIAL(cos);
  WEFT_SPECIAL(tan);
  WEFT_SPECIAL(asin);
  WEFT_SPECIAL(acos);
  WEFT_SPECIAL(atan);
  WEFT_SPECIAL(sqrt);
#undef WEFT_SPECIAL
}

namespace {

// A pseudo-random float of any sign, exponent and mantissa; finite.
struct AnyFloat {
  u64 state = 0x853c49e6748fea9bu;
  float operator()() {
    for (;;) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const float x = from_bits(static_cast<i32>(static_cast<u32>(state >> 32)));
      if (std::isfinite(x)) return x;
    }
  }
  float between(float low, float high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * static_cast<float>(state >> 40) * 0x1p-24f;
  }
};

template <class F, class G>
double worst_pair(const std::string& name, F f, G reference, const float* xs, const float* ys, int count) {
  double worst_error = 0;
  float at_x = 0, at_y = 0;
  bool same = true;
  for (int at = 0; at < count; at += lanes) {
    const Simd<float> r = f(k::load<Simd<float>>(xs + at), k::load<Simd<float>>(ys + at));
    for (int i = 0; i < lanes; ++i) {
      const double error = error_in_ulps(r[i], reference(double{xs[at + i]}, double{ys[at + i]}));
      if (error > worst_error) worst_error = error, at_x = xs[at + i], at_y = ys[at + i];
    }
    const float scalar = f(xs[at + 3], ys[at + 3]);
    same = same && (to_bits(scalar) == to_bits(r[3]) || (std::isnan(scalar) && std::isnan(r[3])));
  }
  MESSAGE(name << ": " << worst_error << " ulp at " << at_x << ", " << at_y);
  CHECK_MESSAGE(same, name << ": Simds and scalars differ");
  return worst_error;
}

constexpr int pairs = 1 << 19;
float pair_x[pairs], pair_y[pairs];

template <class F, class G>
void check_special_pairs(const std::string& name, F f, G reference, double tolerance) {
  const float ends[] = {0.0f, 1e-45f,      1e-40f, 0.5f,    1.0f, 1.5f,        2.0f,
                        3.0f, 16777217.0f, 1e30f,  largest, inf,  not_a_number};
  for (float ax : ends) {
    for (float ay : ends) {
      for (float sx : {1.0f, -1.0f}) {
        for (float sy : {1.0f, -1.0f}) {
          const float x = sx * ax, y = sy * ay, expected = reference(x, y);
          for (float got :
               {f(x, y), static_cast<float>(f(k::splat<Simd<float>>(x), k::splat<Simd<float>>(y))[0])}) {
            CAPTURE(name);
            CAPTURE(x);
            CAPTURE(y);
            CAPTURE(got);
            CAPTURE(expected);
            if (std::isnan(expected)) {
              CHECK(std::isnan(got));
            } else if (expected == 0 || std::isinf(expected)) {
              CHECK(to_bits(got) == to_bits(expected));
            } else {
              CHECK(std::fabs(got - expected) <= tolerance * ulp_of(expected));
            }
          }
        }
      }
    }
  }
}

const auto the_pow = [](const auto& x, const auto& y) { return k::pow(x, y); };
const auto the_atan2 = [](const auto& x, const auto& y) { return k::atan2(x, y); };
const auto the_fmod = [](const auto& x, const auto& y) { return k::fmod(x, y); };

}  // namespace

TEST_CASE("math: pow is within 2 ulp, and agrees with C at the ends") {
  const auto reference = [](double x, double y) { return std::pow(x, y); };
  AnyFloat next;
  for (int i = 0; i < pairs; ++i) {
    pair_x[i] = std::fabs(next());
    pair_y[i] =
        next.between(-1, 1) * 128 / static_cast<float>(std::fabs(std::log2(double{pair_x[i]})) + 0.01);
  }
  CHECK(worst_pair("pow over all bases", the_pow, reference, pair_x, pair_y, pairs) <= 2.0);
  for (int i = 0; i < pairs; ++i) {
    pair_x[i] = next.between(0.5f, 2.0f);
    pair_y[i] = next.between(-150, 150);
  }
  CHECK(worst_pair("pow near one", the_pow, reference, pair_x, pair_y, pairs) <= 2.0);
  for (int i = 0; i < pairs; ++i) {
    pair_x[i] = 1.0f + next.between(-1e-5f, 1e-5f);
    pair_y[i] = next.between(-1e7f, 1e7f);
  }
  CHECK(worst_pair("pow very near one", the_pow, reference, pair_x, pair_y, pairs) <= 2.0);
  for (int i = 0; i < pairs; ++i) {
    pair_x[i] = next.between(-20, 20);
    pair_y[i] = std::floor(next.between(-25, 25));
  }
  CHECK(worst_pair("pow of whole exponents", the_pow, reference, pair_x, pair_y, pairs) <= 2.0);
  check_special_pairs(
      "pow", the_pow, [](float x, float y) { return std::pow(x, y); }, 2.0);
}

TEST_CASE("math: atan2 is within 2 ulp, and agrees with C at the ends") {
  const auto reference = [](double y, double x) { return std::atan2(y, x); };
  AnyFloat next;
  for (int i = 0; i < pairs; ++i) {
    pair_x[i] = i % 2 ? next() : next.between(-3, 3);
    pair_y[i] = i % 2 ? next() : next.between(-3, 3);
  }
  CHECK(worst_pair("atan2", the_atan2, reference, pair_x, pair_y, pairs) <= 2.0);
  check_special_pairs(
      "atan2", the_atan2, [](float y, float x) { return std::atan2(y, x); }, 2.0);
}

TEST_CASE("math: fmod is exact for every quotient; remainder has the sign of the divisor") {
  AnyFloat next;
  int wrong = 0, wrong_remainder = 0;
  for (int i = 0; i < pairs; ++i) {
    pair_x[i] = i % 3 == 0 ? next.between(-1e4f, 1e4f) : next();
    pair_y[i] = i % 2 == 0 ? next.between(-10, 10) : next();
  }
  for (int at = 0; at < pairs; at += lanes) {
    const auto x = k::load<Simd<float>>(pair_x + at), y = k::load<Simd<float>>(pair_y + at);
    const auto r = k::fmod(x, y), q = k::remainder(x, y);
    for (int i = 0; i < lanes; ++i) {
      const float expected = std::fmod(x[i], y[i]);
      float python = expected;
      if (python != 0 && std::signbit(python) != std::signbit(y[i])) python += y[i];
      if (std::isnan(expected)) {
        wrong += !std::isnan(r[i]);
      } else {
        wrong += to_bits(r[i]) != to_bits(expected) || to_bits(k::fmod(x[i], y[i])) != to_bits(expected);
        wrong_remainder +=
            to_bits(q[i]) != to_bits(python) || to_bits(k::remainder(x[i], y[i])) != to_bits(python);
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(wrong_remainder == 0);
  check_special_pairs(
      "fmod", the_fmod, [](float x, float y) { return std::fmod(x, y); }, 0.0);
  // torch.remainder(torch.tensor([7., -7., 7., -7.]), torch.tensor([3., 3., -3., -3.]))
  CHECK(k::remainder(7.0f, 3.0f) == 1.0f);
  CHECK(k::remainder(-7.0f, 3.0f) == 2.0f);
  CHECK(k::remainder(7.0f, -3.0f) == -2.0f);
  CHECK(k::remainder(-7.0f, -3.0f) == -1.0f);
}

TEST_CASE("math: double and Simds of it are the C library") {
  const auto x = k::iota<Simd<double>>(0.5) * 0.06;
  for (int i = 0; i < lanes; ++i) {
    CHECK(k::exp(x)[i] == std::exp(x[i]));
    CHECK(k::log(x)[i] == std::log(x[i]));
    CHECK(k::tanh(x)[i] == std::tanh(x[i]));
    CHECK(k::erf(x)[i] == std::erf(x[i]));
    CHECK(k::asin(x)[i] == std::asin(x[i]));
    CHECK(k::pow(x, x)[i] == std::pow(x[i], x[i]));
    CHECK(k::sqrt(x)[i] == std::sqrt(x[i]));
    CHECK(k::floor(-x)[i] == std::floor(-x[i]));
    CHECK(k::abs(-x)[i] == x[i]);
    CHECK(k::cos(x[i]) == std::cos(x[i]));
    CHECK(k::atan2(x[i], 2.0) == std::atan2(x[i], 2.0));
  }
  CHECK(k::round(2.5) == 2.0);
  CHECK(k::remainder(-7.0, 3.0) == 2.0);
}
