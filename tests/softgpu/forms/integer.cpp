// Integer arithmetic, bits and shifts. Results that the ISA leaves open (division by zero) are the machine's.
#include <algorithm>
#include <bit>
#include <string>

#include "softgpu/forms/rows.hpp"

namespace softgpu {

namespace {

constexpr Class kind = Class::integer;

template <class T>
T divide(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}
template <class T>
T multiply_high(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    using Double = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((static_cast<Double>(a) * static_cast<Double>(b)) >> 64);
  } else {
    using Double = std::conditional_t<std::is_signed_v<T>, i64, u64>;
    return static_cast<T>((static_cast<Double>(a) * static_cast<Double>(b)) >> (8 * sizeof(T)));
  }
}
// A shift by the width or more empties the value: zeros, or the sign.
template <class T>
T shift_right(T a, u32 n) {
  constexpr u32 bits = 8 * sizeof(T);
  if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> std::min(n, bits - 1));
  return n >= bits ? T{0} : static_cast<T>(a >> (n & (bits - 1)));
}
template <class T>
T shift_left(T a, u32 n) {
  constexpr u32 bits = 8 * sizeof(T);
  return n >= bits ? T{0} : static_cast<T>(a << (n & (bits - 1)));
}

// Sums of products of parts: four of 8 bits, or two of 16 with two of the 8-bit ones from `first` on.
template <class A, class B>
u32 dot_bytes(u32 a, u32 b, u32 c) {
  for (int k = 0; k < 4; ++k)
    c += static_cast<u32>(i32{static_cast<A>(a >> 8 * k)} * i32{static_cast<B>(b >> 8 * k)});
  return c;
}
template <class A, class B>
u32 dot_halves(u32 a, u32 b, u32 c, int first) {
  for (int k = 0; k < 2; ++k)
    c += static_cast<u32>(i32{static_cast<A>(a >> 16 * k)} * i32{static_cast<B>(b >> 8 * (first + k))});
  return c;
}
template <class Byte, class Half, class Other>
void add_dots(FormTable& t, const std::string& types) {
  t.add("dp4a." + types, elementwise<u32, u32, u32, u32>(
                             kind, [](u32 a, u32 b, u32 c) { return dot_bytes<Byte, Other>(a, b, c); }));
  t.add("dp2a.lo." + types, elementwise<u32, u32, u32, u32>(kind, [](u32 a, u32 b, u32 c) {
          return dot_halves<Half, Other>(a, b, c, 0);
        }));
  t.add("dp2a.hi." + types, elementwise<u32, u32, u32, u32>(kind, [](u32 a, u32 b, u32 c) {
          return dot_halves<Half, Other>(a, b, c, 2);
        }));
}

template <class T>
void add_type(FormTable& t, const std::string& name) {
  using U = std::make_unsigned_t<T>;
  t.add("add." + name, elementwise<T, T, T>(kind, [](T a, T b) { return static_cast<T>(U(a) + U(b)); }));
  t.add("sub." + name, elementwise<T, T, T>(kind, [](T a, T b) { return static_cast<T>(U(a) - U(b)); }));
  t.add("mul.lo." + name,
        elementwise<T, T, T>(kind, [](T a, T b) { return static_cast<T>(u64(U(a)) * U(b)); }));
  t.add("mul.hi." + name, elementwise<T, T, T>(kind, [](T a, T b) { return multiply_high<T>(a, b); }));
  t.add("mad.lo." + name,
        elementwise<T, T, T, T>(kind, [](T a, T b, T c) { return static_cast<T>(u64(U(a)) * U(b) + U(c)); }));
  t.add("mad.hi." + name, elementwise<T, T, T, T>(kind, [](T a, T b, T c) {
          return static_cast<T>(U(multiply_high<T>(a, b)) + U(c));
        }));
  t.add("div." + name, elementwise<T, T, T>(kind, [](T a, T b) { return divide<T>(a, b); }));
  t.add("rem." + name, elementwise<T, T, T>(kind, [](T a, T b) { return remainder<T>(a, b); }));
  t.add("min." + name, elementwise<T, T, T>(kind, [](T a, T b) { return b < a ? b : a; }));
  t.add("max." + name, elementwise<T, T, T>(kind, [](T a, T b) { return a < b ? b : a; }));
  t.add("shr." + name, elementwise<T, T, u32>(kind, [](T a, u32 n) { return shift_right<T>(a, n); }));
  if constexpr (std::is_signed_v<T>) {
    t.add("neg." + name, elementwise<T, T>(kind, [](T a) { return static_cast<T>(0 - U(a)); }));
    t.add("abs." + name, elementwise<T, T>(kind, [](T a) { return a < 0 ? static_cast<T>(0 - U(a)) : a; }));
  }
}

template <class From, class To>
void add_wide(FormTable& t, const std::string& name) {
  t.add("mul.wide." + name,
        elementwise<To, From, From>(kind, [](From a, From b) { return To(To(a) * To(b)); }));
  t.add("mad.wide." + name, elementwise<To, From, From, To>(kind, [](From a, From b, To c) {
          using U = std::make_unsigned_t<To>;
          return static_cast<To>(U(To(a) * To(b)) + U(c));
        }));
}

template <class U>
void add_bits(FormTable& t, const std::string& name) {
  t.add("and." + name, elementwise<U, U, U>(kind, [](U a, U b) { return static_cast<U>(a & b); }));
  t.add("or." + name, elementwise<U, U, U>(kind, [](U a, U b) { return static_cast<U>(a | b); }));
  t.add("xor." + name, elementwise<U, U, U>(kind, [](U a, U b) { return static_cast<U>(a ^ b); }));
  t.add("not." + name, elementwise<U, U>(kind, [](U a) { return static_cast<U>(~a); }));
  t.add("shl." + name, elementwise<U, U, u32>(kind, [](U a, u32 n) { return shift_left<U>(a, n); }));
  t.add("shr." + name, elementwise<U, U, u32>(kind, [](U a, u32 n) { return shift_right<U>(a, n); }));
  t.add("popc." + name, elementwise<u32, U>(kind, [](U a) { return static_cast<u32>(std::popcount(a)); }));
  t.add("clz." + name, elementwise<u32, U>(kind, [](U a) { return static_cast<u32>(std::countl_zero(a)); }));
}

// The lower `length` bits of a in place of those of b from `at` on.
template <class U>
void add_insertion(FormTable& t, const std::string& name) {
  t.add("bfi." + name, elementwise<U, U, U, u32, u32>(kind, [](U a, U b, u32 at, u32 length) {
          constexpr u32 bits = 8 * sizeof(U);
          at &= 255, length &= 255;
          if (at >= bits) return b;
          const U ones = length >= bits ? ~U{0} : static_cast<U>((U{1} << length) - 1);
          return static_cast<U>((b & ~static_cast<U>(ones << at)) | static_cast<U>((a & ones) << at));
        }));
}

u64 reversed(u64 x) {
  u64 y = 0;
  for (int i = 0; i < 64; ++i) y |= (x >> i & 1) << (63 - i);
  return y;
}

// Four bytes of the eight in (b, a), chosen by the nibbles of c; a nibble's upper bit repeats the byte's
// sign.
u32 permute_bytes(u32 a, u32 b, u32 c) {
  const u64 bytes = u64{b} << 32 | a;
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    const u32 choice = c >> (4 * i) & 15;
    u32 byte = static_cast<u32>(bytes >> (8 * (choice & 7))) & 255;
    if (choice > 7) byte = (byte & 128) != 0 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

}  // namespace

void add_integer_forms(FormTable& t) {
  add_type<u16>(t, "u16");
  add_type<i16>(t, "s16");
  add_type<u32>(t, "u32");
  add_type<i32>(t, "s32");
  add_type<u64>(t, "u64");
  add_type<i64>(t, "s64");
  add_wide<u16, u32>(t, "u16");
  add_wide<i16, i32>(t, "s16");
  add_wide<u32, u64>(t, "u32");
  add_wide<i32, i64>(t, "s32");
  add_bits<u16>(t, "b16");
  add_bits<u32>(t, "b32");
  add_bits<u64>(t, "b64");
  t.add("brev.b32", elementwise<u32, u32>(kind, [](u32 a) { return static_cast<u32>(reversed(a) >> 32); }));
  t.add("brev.b64", elementwise<u64, u64>(kind, [](u64 a) { return reversed(a); }));
  t.add({"prmt.b32"},
        elementwise<u32, u32, u32, u32>(kind, [](u32 a, u32 b, u32 c) { return permute_bytes(a, b, c); }));
  // (b, a) shifted as one value of 64 bits
  t.add("shf.l.wrap.b32", elementwise<u32, u32, u32, u32>(kind, [](u32 a, u32 b, u32 n) {
          return static_cast<u32>((u64{b} << 32 | a) << (n & 31) >> 32);
        }));
  t.add("shf.r.wrap.b32", elementwise<u32, u32, u32, u32>(kind, [](u32 a, u32 b, u32 n) {
          return static_cast<u32>((u64{b} << 32 | a) >> (n & 31));
        }));
  t.add("shf.l.clamp.b32", elementwise<u32, u32, u32, u32>(kind, [](u32 a, u32 b, u32 n) {
          return static_cast<u32>((u64{b} << 32 | a) << std::min(n, 32u) >> 32);
        }));
  t.add("shf.r.clamp.b32", elementwise<u32, u32, u32, u32>(kind, [](u32 a, u32 b, u32 n) {
          return static_cast<u32>((u64{b} << 32 | a) >> std::min(n, 32u));
        }));
  // a field of `length` bits from `at`
  t.add("bfe.u32", elementwise<u32, u32, u32, u32>(kind, [](u32 a, u32 at, u32 length) {
          const u64 shifted = (at & 255) > 31 ? 0 : a >> (at & 31);
          return static_cast<u32>(shifted & ((u64{1} << std::min(length & 255, 32u)) - 1));
        }));
  add_dots<u8, u16, u8>(t, "u32.u32");
  add_dots<u8, u16, i8>(t, "u32.s32");
  add_dots<i8, i16, u8>(t, "s32.u32");
  add_dots<i8, i16, i8>(t, "s32.s32");
  add_insertion<u32>(t, "b32");
  add_insertion<u64>(t, "b64");
  // `length` ones from `at`; both clamped to the width
  t.add("bmsk.clamp.b32", elementwise<u32, u32, u32>(kind, [](u32 at, u32 length) {
          return at > 31 ? 0u : static_cast<u32>(((u64{1} << std::min(length, 32u)) - 1) << at);
        }));
  t.add("lop3.b32", elementwise<u32, u32, u32, u32, u32>(kind, [](u32 a, u32 b, u32 c, u32 table) {
          u32 result = 0;
          for (u32 k = 0; k < 8; ++k)
            if ((table >> k & 1) != 0)
              result |= ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c);
          return result;
        }));
}

}  // namespace softgpu
