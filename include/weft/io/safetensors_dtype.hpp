#pragma once
// The dtypes of the safetensors format, of which weft computes with some. Law: the names, sizes and order are
// those of the reference reader (Dtype in https://github.com/huggingface/safetensors, version 0.8).

#include <string>
#include <string_view>

#include "weft/core/dtype.hpp"
#include "weft/core/error.hpp"

namespace WEFT_NAMESPACE::io {

struct SafetensorsDTypeInfo {
  std::string_view name;
  int bits;
  int dtype = -1;  // weft's
};
// In the order of the reference writer, narrow elements first.
inline constexpr SafetensorsDTypeInfo safetensors_dtypes[] = {
    {"BOOL", 8, static_cast<int>(DType::boolean)},
    {"F4", 4},
    {"F6_E2M3", 6},
    {"F6_E3M2", 6},
    {"U8", 8, static_cast<int>(DType::u8)},
    {"I8", 8, static_cast<int>(DType::i8)},
    {"F8_E5M2", 8, static_cast<int>(DType::f8e5m2)},
    {"F8_E4M3", 8, static_cast<int>(DType::f8e4m3)},
    {"F8_E8M0", 8},
    {"F8_E4M3FNUZ", 8},
    {"F8_E5M2FNUZ", 8},
    {"I16", 16},
    {"U16", 16},
    {"F16", 16, static_cast<int>(DType::f16)},
    {"BF16", 16, static_cast<int>(DType::bf16)},
    {"I32", 32, static_cast<int>(DType::i32)},
    {"U32", 32, static_cast<int>(DType::u32)},
    {"F32", 32, static_cast<int>(DType::f32)},
    {"C64", 64},
    {"F64", 64, static_cast<int>(DType::f64)},
    {"I64", 64, static_cast<int>(DType::i64)},
    {"U64", 64},
};

// A dtype of the format: one of weft's, or one that weft only hands through as bytes.
class SafetensorsDType {
 public:
  constexpr SafetensorsDType() : SafetensorsDType(DType::f64) {}
  constexpr SafetensorsDType(DType dtype) {
    while (table[row_].dtype != static_cast<int>(dtype)) ++row_;
  }
  // The one with this name, as it stands in a file; false where the format has none.
  static constexpr bool find(std::string_view name, SafetensorsDType& found) {
    for (u8 i = 0; i < std::size(table); ++i)
      if (table[i].name == name) return found.row_ = i, true;
    return false;
  }

  // As it stands in a file: "F32", "F6_E2M3", ...
  constexpr std::string_view name() const { return table[row_].name; }
  // Of one element; below 8 for two or more to a byte.
  constexpr int bits() const { return table[row_].bits; }
  // Whether weft computes with it.
  constexpr bool has_dtype() const { return table[row_].dtype >= 0; }
  // Throws "safetensors/dtype" where weft has none.
  constexpr DType dtype() const {
    if (!has_dtype()) throw Error("safetensors/dtype", "weft does not compute with " + std::string(name()));
    return static_cast<DType>(table[row_].dtype);
  }
  // For messages: weft's name where it has one.
  std::string text() const { return std::string(has_dtype() ? name_of(dtype()) : name()); }
  // The reference writer puts tensors of a higher rank first, so that wide elements are aligned.
  constexpr int rank() const { return row_; }
  friend constexpr bool operator==(SafetensorsDType, SafetensorsDType) = default;

 private:
  static constexpr const auto& table = safetensors_dtypes;

  u8 row_ = 0;
};

}  // namespace WEFT_NAMESPACE::io
