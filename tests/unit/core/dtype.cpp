#include "weft/core/dtype.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace weft;

// torch.promote_types(row, column) of PyTorch 2.15; -1 where it refuses, -2 where it answers int16.
constexpr int n(DType d) { return static_cast<int>(d); }
constexpr int no = -1, i16_ = -2;
constexpr int torch_promote[dtype_count][dtype_count] = {
    {n(DType::f64), n(DType::f64), n(DType::f64), n(DType::f64), no, no, n(DType::f64), n(DType::f64),
     n(DType::f64), n(DType::f64), n(DType::f64), n(DType::f64)},
    {n(DType::f64), n(DType::f32), n(DType::f32), n(DType::f32), no, no, n(DType::f32), n(DType::f32),
     n(DType::f32), n(DType::f32), n(DType::f32), n(DType::f32)},
    {n(DType::f64), n(DType::f32), n(DType::f16), n(DType::f32), no, no, n(DType::f16), n(DType::f16),
     n(DType::f16), n(DType::f16), n(DType::f16), n(DType::f16)},
    {n(DType::f64), n(DType::f32), n(DType::f32), n(DType::bf16), no, no, n(DType::bf16), n(DType::bf16),
     n(DType::bf16), n(DType::bf16), n(DType::bf16), n(DType::bf16)},
    {no, no, no, no, n(DType::f8e4m3), no, no, no, no, no, no, no},
    {no, no, no, no, no, n(DType::f8e5m2), no, no, no, no, no, no},
    {n(DType::f64), n(DType::f32), n(DType::f16), n(DType::bf16), no, no, n(DType::i64), n(DType::i64),
     n(DType::i64), n(DType::i64), n(DType::i64), no},
    {n(DType::f64), n(DType::f32), n(DType::f16), n(DType::bf16), no, no, n(DType::i64), n(DType::i32),
     n(DType::i32), n(DType::i32), n(DType::i32), no},
    {n(DType::f64), n(DType::f32), n(DType::f16), n(DType::bf16), no, no, n(DType::i64), n(DType::i32),
     n(DType::i8), i16_, n(DType::i8), no},
    {n(DType::f64), n(DType::f32), n(DType::f16), n(DType::bf16), no, no, n(DType::i64), n(DType::i32), i16_,
     n(DType::u8), n(DType::u8), no},
    {n(DType::f64), n(DType::f32), n(DType::f16), n(DType::bf16), no, no, n(DType::i64), n(DType::i32),
     n(DType::i8), n(DType::u8), n(DType::boolean), no},
    {n(DType::f64), n(DType::f32), n(DType::f16), n(DType::bf16), no, no, no, no, no, no, no, n(DType::u32)},
};

constexpr DType all[] = {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8e4m3,  DType::f8e5m2,
                         DType::i64, DType::i32, DType::i8,  DType::u8,   DType::boolean, DType::u32};

}  // namespace

TEST_CASE("dtype: promote agrees with torch.promote_types where torch answers") {
  int compared = 0;
  for (DType a : all) {
    for (DType b : all) {
      const int expected = torch_promote[n(a)][n(b)];
      if (expected < 0) continue;
      ++compared;
      CAPTURE(name_of(a));
      CAPTURE(name_of(b));
      CHECK(n(promote(a, b)) == expected);
    }
  }
  CHECK(compared == 90);
}

TEST_CASE("dtype: promote is commutative and total, with the documented answers where torch has none") {
  for (DType a : all) {
    for (DType b : all) {
      CHECK(promote(a, b) == promote(b, a));
      for (DType c : all) {
        if (is_float8(a) || is_float8(b) || is_float8(c)) continue;
        CHECK(promote(promote(a, b), c) == promote(a, promote(b, c)));
      }
    }
  }
  CHECK(promote(DType::i8, DType::u8) == DType::i32);
  CHECK(promote(DType::f8e4m3, DType::f8e5m2) == DType::f16);
  CHECK(promote(DType::f8e4m3, DType::bf16) == DType::bf16);
  CHECK(promote(DType::f8e5m2, DType::i64) == DType::f8e5m2);
  CHECK(promote(DType::u32, DType::i32) == DType::i64);
  CHECK(promote(DType::u32, DType::boolean) == DType::u32);
}

// torch.result_type(tensor, True / 2 / 2.5) of PyTorch 2.15.
TEST_CASE("dtype: a scalar only lifts the kind, as torch.result_type") {
  for (DType d : all) {
    CAPTURE(name_of(d));
    CHECK(promote_scalar<bool>(d) == d);
    CHECK(promote_scalar<int>(d) == (d == DType::boolean ? DType::i64 : d));
    CHECK(promote_scalar<double>(d) == (is_float(d) ? d : DType::f32));
    CHECK(promote_scalar<float>(d) == promote_scalar<double>(d));
  }
}

TEST_CASE("dtype: sizes, names and C++ types belong together") {
  static_assert(dtype_of<double> == DType::f64 && dtype_of<weft::bf16> == DType::bf16);
  static_assert(dtype_of<bool> == DType::boolean && dtype_of<weft::u32> == DType::u32);
  static_assert(std::is_same_v<ctype<DType::f8e5m2>, weft::f8e5m2> &&
                std::is_same_v<ctype<DType::u8>, weft::u8>);
  static_assert(!Element<char16_t> && !Element<long double>);
  [&]<int... D>(std::integer_sequence<int, D...>) {
    static_assert(((size_of(static_cast<DType>(D)) == int{sizeof(ctype<static_cast<DType>(D)>)}) && ...));
    static_assert(((dtype_of<ctype<static_cast<DType>(D)>> == static_cast<DType>(D)) && ...));
  }
  (std::make_integer_sequence<int, dtype_count>{});
  CHECK(std::string(name_of(DType::f8e4m3)) == "f8e4m3");
  CHECK(std::string(name_of(DType::boolean)) == "bool");
  CHECK(is_float(DType::f8e5m2));
  CHECK_FALSE(is_float(DType::i64));
  CHECK(is_integer(DType::u32));
  CHECK_FALSE(is_integer(DType::boolean));
}
