// Arithmetic of f32 and f64. A result of f32 that is no number is the canonical NaN, as on the machine.
#include <cfenv>
#include <cmath>
#include <string>

#include "softgpu/forms/rounding.hpp"
#include "softgpu/forms/rows.hpp"
#include "softgpu/settings.hpp"

namespace softgpu {

namespace {

constexpr Class kind = Class::floating;

template <class T>
T canonical(T x) {
  if constexpr (sizeof(T) == 4) return x == x ? x : std::bit_cast<float>(0x7fffffffu);
  return x;
}

// The smaller, the number where only one is, -0 before +0.
template <class T>
T smaller(T a, T b) {
  if (a != a) return canonical(b);
  if (b != b) return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <class T>
T larger(T a, T b) {
  if (a != a) return canonical(b);
  if (b != b) return a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

// An approximate result, displaced by up to `ulps` in a direction that the setting and the bits choose: what
// a machine gives lies within the same bound.
float displaced(float x, int ulps) {
  if (settings().approx == 0 || x == 0 || !std::isfinite(x)) return x;
  u32 bits = std::bit_cast<u32>(x);
  const u32 hash = (bits ^ static_cast<u32>(settings().approx) * 0x9e3779b9u) * 0x85ebca6bu;
  const auto by = static_cast<i32>((hash >> 16) % static_cast<u32>(2 * ulps + 1)) - ulps;
  bits += static_cast<u32>(by);
  const float moved = std::bit_cast<float>(bits);
  return std::isfinite(moved) ? moved : x;
}
// ex2.approx: exact of a whole number, as CUDA's own functions of f64 expect, which scale by it.
float power_of_two(float a) {
  const float exact = static_cast<float>(std::exp2(static_cast<double>(a)));
  return canonical(a == std::floor(a) ? exact : displaced(exact, 1));
}

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

// The upper half of 1 / x, where only the upper half of x counts and subnormal numbers are zeros.
double reciprocal_seed(double x) {
  constexpr u64 upper = 0xffffffff00000000u;
  x = std::bit_cast<double>(std::bit_cast<u64>(x) & upper);
  if (std::fpclassify(x) == FP_SUBNORMAL) x = std::copysign(0.0, x);
  double y = 1 / x;
  if (std::fpclassify(y) == FP_SUBNORMAL) y = std::copysign(0.0, y);
  return std::bit_cast<double>(std::bit_cast<u64>(y) & upper);
}

template <class T>
void add_type(FormTable& t, const std::string& name) {
  const Form plus = elementwise<T, T, T>(kind, [](T a, T b) { return canonical(a + b); });
  const Form minus = elementwise<T, T, T>(kind, [](T a, T b) { return canonical(a - b); });
  const Form times = elementwise<T, T, T>(kind, [](T a, T b) { return canonical(a * b); });
  for (const char* rounding : {".", ".rn."}) {
    t.add(std::string("add") + rounding + name, plus);
    t.add(std::string("sub") + rounding + name, minus);
    t.add(std::string("mul") + rounding + name, times);
  }
  t.add("fma.rn." + name,
        elementwise<T, T, T, T>(kind, [](T a, T b, T c) { return canonical(std::fma(a, b, c)); }));
  t.add("div.rn." + name, elementwise<T, T, T>(kind, [](T a, T b) { return canonical(a / b); }));
  t.add("rcp.rn." + name, elementwise<T, T>(kind, [](T a) { return canonical(T{1} / a); }));
  t.add("sqrt.rn." + name, elementwise<T, T>(kind, [](T a) { return canonical(std::sqrt(a)); }));
  t.add("neg." + name, elementwise<T, T>(kind, [](T a) { return -a; }));
  t.add("abs." + name, elementwise<T, T>(kind, [](T a) { return std::fabs(a); }));
  // the sign of the first operand on the second
  t.add("copysign." + name, elementwise<T, T, T>(kind, [](T a, T b) { return std::copysign(b, a); }));
  t.add("min." + name, elementwise<T, T, T>(kind, [](T a, T b) { return smaller(a, b); }));
  t.add("max." + name, elementwise<T, T, T>(kind, [](T a, T b) { return larger(a, b); }));
}

template <int Mode, class D, class... S, class F>
Form rounded(F) {
  return {&execute_in_mode<Mode, &Elementwise<F, D, S...>::execute>, kind, {width_of<D>}, {width_of<S>...}};
}

template <class T, int Mode>
void add_directed(FormTable& t, const std::string& rounding, const std::string& name) {
  const std::string end = rounding + name;
  t.add("add." + end, rounded<Mode, T, T, T>([](T a, T b) { return canonical(a + b); }));
  t.add("sub." + end, rounded<Mode, T, T, T>([](T a, T b) { return canonical(a - b); }));
  t.add("mul." + end, rounded<Mode, T, T, T>([](T a, T b) { return canonical(a * b); }));
  t.add("div." + end, rounded<Mode, T, T, T>([](T a, T b) { return canonical(a / b); }));
  t.add("fma." + end, rounded<Mode, T, T, T, T>([](T a, T b, T c) { return canonical(std::fma(a, b, c)); }));
}

}  // namespace

void add_float_forms(FormTable& t) {
  add_type<float>(t, "f32");
  add_type<double>(t, "f64");
  t.add("min.NaN.f32", elementwise<float, float, float>(kind, [](float a, float b) {
          return a != a || b != b ? canonical(a + b) : smaller(a, b);
        }));
  t.add("max.NaN.f32", elementwise<float, float, float>(kind, [](float a, float b) {
          return a != a || b != b ? canonical(a + b) : larger(a, b);
        }));
  add_directed<float, FE_TOWARDZERO>(t, "rz.", "f32");
  add_directed<float, FE_DOWNWARD>(t, "rm.", "f32");
  add_directed<float, FE_UPWARD>(t, "rp.", "f32");
  add_directed<double, FE_TOWARDZERO>(t, "rz.", "f64");
  add_directed<double, FE_DOWNWARD>(t, "rm.", "f64");
  add_directed<double, FE_UPWARD>(t, "rp.", "f64");

  // The nearest value is inside every bound of the ISA's tables; bounds in ulps beyond it are for
  // `displaced`.
  t.add({"div.approx.f32", "div.full.f32"}, elementwise<float, float, float>(kind, [](float a, float b) {
          return canonical(displaced(a / b, 1));
        }));
  t.add("div.approx.ftz.f32", elementwise<float, float, float>(kind, [](float a, float b) {
          return canonical(flushed(displaced(flushed(a) / flushed(b), 1)));
        }));
  t.add("rcp.approx.f32",
        elementwise<float, float>(kind, [](float a) { return canonical(displaced(1 / a, 1)); }));
  t.add("rcp.approx.ftz.f32", elementwise<float, float>(kind, [](float a) {
          return canonical(flushed(displaced(1 / flushed(a), 1)));
        }));
  t.add("rcp.approx.ftz.f64", elementwise<double, double>(kind, [](double a) { return reciprocal_seed(a); }));
  t.add("sqrt.approx.f32",
        elementwise<float, float>(kind, [](float a) { return canonical(displaced(std::sqrt(a), 1)); }));
  t.add("sqrt.approx.ftz.f32", elementwise<float, float>(kind, [](float a) {
          return canonical(displaced(std::sqrt(flushed(a)), 1));
        }));
  t.add("rsqrt.approx.f32", elementwise<float, float>(kind, [](float a) {
          return canonical(displaced(static_cast<float>(1 / std::sqrt(static_cast<double>(a))), 1));
        }));
  t.add("rsqrt.approx.ftz.f32", elementwise<float, float>(kind, [](float a) {
          return canonical(displaced(static_cast<float>(1 / std::sqrt(static_cast<double>(flushed(a)))), 1));
        }));
  t.add("ex2.approx.f32", elementwise<float, float>(kind, [](float a) { return power_of_two(a); }));
  t.add("ex2.approx.ftz.f32",
        elementwise<float, float>(kind, [](float a) { return flushed(power_of_two(flushed(a))); }));
  t.add("lg2.approx.f32", elementwise<float, float>(kind, [](float a) {
          return canonical(static_cast<float>(std::log2(static_cast<double>(a))));
        }));
  t.add("lg2.approx.ftz.f32", elementwise<float, float>(kind, [](float a) {
          return canonical(static_cast<float>(std::log2(static_cast<double>(flushed(a)))));
        }));
  t.add("sin.approx.f32", elementwise<float, float>(kind, [](float a) {
          return canonical(static_cast<float>(std::sin(static_cast<double>(a))));
        }));
  t.add("cos.approx.f32", elementwise<float, float>(kind, [](float a) {
          return canonical(static_cast<float>(std::cos(static_cast<double>(a))));
        }));
}

}  // namespace softgpu
