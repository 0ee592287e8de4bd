// cvt between all types. Integers of floats are clamped to the type's range, and 0 where it is no number.
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "softgpu/float_formats.hpp"
#include "softgpu/forms/rounding.hpp"
#include "softgpu/forms/rows.hpp"

namespace softgpu {

namespace {

constexpr Class kind = Class::convert;

template <class D, class S>
D clamped(S whole) {
  using Limits = std::numeric_limits<D>;
  if (whole != whole) return 0;
  if (whole <= static_cast<S>(Limits::min())) return Limits::min();
  if (whole >= static_cast<S>(Limits::max())) return Limits::max();
  return static_cast<D>(whole);
}

template <class S>
S canonical(S x) {
  if constexpr (sizeof(S) == 4) return x == x ? x : std::bit_cast<float>(0x7fffffffu);
  return x;
}

template <class D, class S>
Form toward_zero() {
  constexpr auto convert = [](S x) { return canonical(static_cast<D>(x)); };
  using Loop = Elementwise<std::remove_const_t<decltype(convert)>, D, S>;
  return {&execute_in_mode<FE_TOWARDZERO, &Loop::execute>, kind, {width_of<D>}, {width_of<S>}};
}

template <class D, class S>
void add_integers(FormTable& t, const std::string& d, const std::string& s) {
  t.add("cvt." + d + "." + s, elementwise<D, S>(kind, [](S x) { return static_cast<D>(x); }));
  t.add("cvt.sat." + d + "." + s, elementwise<D, S>(kind, [](S x) {
          using Limits = std::numeric_limits<D>;
          return std::in_range<D>(x) ? static_cast<D>(x) : x < S{0} ? Limits::min() : Limits::max();
        }));
}

template <class D, class S>
void add_to_integer(FormTable& t, const std::string& d, const std::string& s) {
  t.add("cvt.rzi." + d + "." + s, elementwise<D, S>(kind, [](S x) { return clamped<D>(std::trunc(x)); }));
  t.add("cvt.rni." + d + "." + s, elementwise<D, S>(kind, [](S x) { return clamped<D>(std::nearbyint(x)); }));
  t.add("cvt.rmi." + d + "." + s, elementwise<D, S>(kind, [](S x) { return clamped<D>(std::floor(x)); }));
  t.add("cvt.rpi." + d + "." + s, elementwise<D, S>(kind, [](S x) { return clamped<D>(std::ceil(x)); }));
}

template <class D, class S>
void add_from_integer(FormTable& t, const std::string& d, const std::string& s) {
  t.add("cvt.rn." + d + "." + s, elementwise<D, S>(kind, [](S x) { return static_cast<D>(x); }));
  t.add("cvt.rz." + d + "." + s, toward_zero<D, S>());
}

template <class D>
void add_all_sources(FormTable& t, const std::string& d) {
  add_integers<D, u8>(t, d, "u8");
  add_integers<D, i8>(t, d, "s8");
  add_integers<D, u16>(t, d, "u16");
  add_integers<D, i16>(t, d, "s16");
  add_integers<D, u32>(t, d, "u32");
  add_integers<D, i32>(t, d, "s32");
  add_integers<D, u64>(t, d, "u64");
  add_integers<D, i64>(t, d, "s64");
  add_to_integer<D, float>(t, d, "f32");
  add_to_integer<D, double>(t, d, "f64");
  add_from_integer<float, D>(t, "f32", d);
  add_from_integer<double, D>(t, "f64", d);
}

template <class T>
void add_same(FormTable& t, const std::string& name) {
  const std::string types = name + "." + name;
  t.add("cvt.rzi." + types, elementwise<T, T>(kind, [](T x) { return canonical(std::trunc(x)); }));
  t.add("cvt.rni." + types, elementwise<T, T>(kind, [](T x) { return canonical(std::nearbyint(x)); }));
  t.add("cvt.rmi." + types, elementwise<T, T>(kind, [](T x) { return canonical(std::floor(x)); }));
  t.add("cvt.rpi." + types, elementwise<T, T>(kind, [](T x) { return canonical(std::ceil(x)); }));
  // to [0, 1]; what is no number becomes +0
  t.add("cvt.sat." + types, elementwise<T, T>(kind, [](T x) { return !(x > 0) ? T{0} : x > 1 ? T{1} : x; }));
}

}  // namespace

void add_convert_forms(FormTable& t) {
  add_all_sources<u8>(t, "u8");
  add_all_sources<i8>(t, "s8");
  add_all_sources<u16>(t, "u16");
  add_all_sources<i16>(t, "s16");
  add_all_sources<u32>(t, "u32");
  add_all_sources<i32>(t, "s32");
  add_all_sources<u64>(t, "u64");
  add_all_sources<i64>(t, "s64");
  add_same<float>(t, "f32");
  add_same<double>(t, "f64");
  t.add("cvt.f64.f32", elementwise<double, float>(kind, [](float x) { return static_cast<double>(x); }));
  t.add("cvt.rn.f32.f64",
        elementwise<float, double>(kind, [](double x) { return canonical(static_cast<float>(x)); }));
  t.add("cvt.rz.f32.f64", toward_zero<float, double>());
  t.add("cvt.f32.bf16", elementwise<float, u16>(kind, [](u16 x) { return canonical(from_bf16(x)); }));
  t.add("cvt.f32.f16", elementwise<float, u16>(kind, [](u16 x) { return canonical(from_f16(x)); }));
  t.add("cvt.rn.bf16.f32", elementwise<u16, float>(kind, [](float x) { return to_bf16(x); }));
  t.add("cvt.rn.f16.f32", elementwise<u16, float>(kind, [](float x) { return to_f16(x); }));
  // the first operand into the upper half
  t.add("cvt.rn.bf16x2.f32", elementwise<u32, float, float>(kind, [](float upper, float lower) {
          return u32{to_bf16(upper)} << 16 | to_bf16(lower);
        }));
  t.add("cvt.rn.f16x2.f32", elementwise<u32, float, float>(kind, [](float upper, float lower) {
          return u32{to_f16(upper)} << 16 | to_f16(lower);
        }));
  t.add("cvt.rna.tf32.f32", elementwise<float, float>(kind, [](float x) { return rounded_to_tf32(x); }));
}

}  // namespace softgpu
