#pragma once
// The element types of tensors, as values (DType) and as C++ types (ctype, dtype_of).
// Law: promote is commutative, associative (8-bit floats apart), and agrees with torch.promote_types wherever
// torch answers with a dtype that weft has.

#include <type_traits>
#include <utility>

#include "weft/core/config.hpp"
#include "weft/core/diagnose.hpp"
#include "weft/core/small_float.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE {

// u32 is internal: random bits. g++ takes the scoped names for shadows of the types of the same name.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
enum class DType : u8 { f64, f32, f16, bf16, f8e4m3, f8e5m2, i64, i32, i8, u8, boolean, u32 };
#pragma GCC diagnostic pop
inline constexpr int dtype_count = 12;

namespace detail {
template <DType D>
struct CType;
template <>
struct CType<DType::f64> {
  using type = double;
};
template <>
struct CType<DType::f32> {
  using type = float;
};
template <>
struct CType<DType::f16> {
  using type = weft::f16;
};
template <>
struct CType<DType::bf16> {
  using type = weft::bf16;
};
template <>
struct CType<DType::f8e4m3> {
  using type = weft::f8e4m3;
};
template <>
struct CType<DType::f8e5m2> {
  using type = weft::f8e5m2;
};
template <>
struct CType<DType::i64> {
  using type = weft::i64;
};
template <>
struct CType<DType::i32> {
  using type = weft::i32;
};
template <>
struct CType<DType::i8> {
  using type = weft::i8;
};
template <>
struct CType<DType::u8> {
  using type = weft::u8;
};
template <>
struct CType<DType::boolean> {
  using type = bool;
};
template <>
struct CType<DType::u32> {
  using type = weft::u32;
};
}  // namespace detail

// The C++ type of an element: double, float, weft::f16, ..., bool, std::uint32_t.
template <DType D>
using ctype = typename detail::CType<D>::type;

namespace detail {
template <class T>
constexpr int find_dtype() {
  int found = -1;
  [&]<int... D>(std::integer_sequence<int, D...>) {
    ((std::is_same_v<T, ctype<static_cast<DType>(D)>> ? void(found = D) : void()), ...);
  }
  (std::make_integer_sequence<int, dtype_count>{});
  return found;
}
}  // namespace detail

// Whether T is the C++ type of an element.
template <class T>
concept Element = detail::find_dtype<T>()
>= 0;

WEFT_REFUSAL(ElementHasDtype,
             "elements are f64, f32, f16, bf16, f8e4m3, f8e5m2, i64, i32, i8, u8 or bool: write i32 in "
             "place of short, i64 of unsigned long");

// The DType of a C++ type.
template <class T>
inline constexpr DType dtype_of = [] {
  static_assert(sizeof(ElementHasDtype<Element<T>, T>) > 0);
  if constexpr (Element<T>)
    return static_cast<DType>(detail::find_dtype<T>());
  else
    return DType::f32;
}();

// Bytes of one element.
WEFT_HD constexpr int size_of(DType d) {
  constexpr int sizes[dtype_count] = {8, 4, 2, 2, 1, 1, 8, 4, 1, 1, 1, 4};
  return sizes[static_cast<int>(d)];
}

// "f32", "i64", "bool", ...
constexpr const char* name_of(DType d) {
  constexpr const char* names[dtype_count] = {"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2",
                                              "i64", "i32", "i8",  "u8",   "bool",   "u32"};
  return names[static_cast<int>(d)];
}

// Of any width.
WEFT_HD constexpr bool is_float(DType d) { return d <= DType::f8e5m2; }
// Integers proper: bool is neither a float nor an integer.
WEFT_HD constexpr bool is_integer(DType d) { return !is_float(d) && d != DType::boolean; }
// Of 8 bits.
WEFT_HD constexpr bool is_float8(DType d) { return d == DType::f8e4m3 || d == DType::f8e5m2; }

// The dtype of an operation on a and b, as torch.promote_types. Exceptions, where torch refuses or answers
// with a dtype that weft has not: i8 with u8 gives i32 (torch: int16); an 8-bit float gives way to any other
// float, wins over integers and bool, and the two kinds meet in f16, which holds both exactly (torch
// refuses all of these); u32 with another integer gives i64 (torch refuses).
constexpr DType promote(DType a, DType b) {
  if (a == b) return a;
  if (is_float(a) != is_float(b)) return is_float(a) ? a : b;
  if (is_float(a)) {
    if (is_float8(a) && is_float8(b)) return DType::f16;
    if (is_float8(a) || is_float8(b)) return is_float8(a) ? b : a;
    if (size_of(a) == size_of(b)) return DType::f32;  // f16 with bf16
    return size_of(a) > size_of(b) ? a : b;
  }
  if (a == DType::boolean || b == DType::boolean) return a == DType::boolean ? b : a;
  if (a == DType::u32 || b == DType::u32) return DType::i64;
  if (size_of(a) == size_of(b)) return DType::i32;  // i8 with u8
  return size_of(a) > size_of(b) ? a : b;
}

// The dtype of an operation on a tensor and a C++ scalar of type S: the scalar only lifts the tensor to a
// higher kind (bool < integer < float), then to torch's default of that kind (i64, f32).
template <class S>
requires std::is_arithmetic_v<S>
constexpr DType promote_scalar(DType tensor) {
  if (std::is_floating_point_v<S>) return is_float(tensor) ? tensor : DType::f32;
  if (std::is_same_v<S, bool>) return tensor;
  return tensor == DType::boolean ? DType::i64 : tensor;
}

}  // namespace WEFT_NAMESPACE
