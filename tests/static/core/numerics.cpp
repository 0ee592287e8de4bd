// dtypes, small floats and Philox are usable while compiling.

#include "weft/core/dtype.hpp"
#include "weft/core/philox.hpp"
#include "weft/core/small_float.hpp"

namespace {

using namespace weft;

static_assert(float(f16(65504.0f)) == 65504.0f && f16(65520.0f).bits == 0x7c00 && f16(0x1p-25f).bits == 0);
static_assert(f16(0x1.8p-25f).bits == 1 && float(f16::of_bits(1)) == 0x1p-24f && f16(-0.0f).bits == 0x8000);
static_assert(bf16(1.00390625f).bits == 0x3f80 && bf16(1.01171875f).bits == 0x3f82);  // ties to even
static_assert(float(f8e4m3(-1e9f)) == -448.0f && float(f8e4m3(0.3f)) == 0.3125f);
static_assert(f8e5m2(57344.0f).bits == 0x7b && f8e5m2(61440.0f).bits == 0x7c);
static_assert(f16(__builtin_nanf("")) != f16(__builtin_nanf("")));

template <f16 X>  // a structural type
constexpr float doubled = X * 2;
static_assert(doubled<f16(1.5f)> == 3.0f);

template <DType A, DType B>
using Promoted = ctype<promote(A, B)>;
static_assert(std::is_same_v<Promoted<DType::f16, DType::bf16>, float>);
static_assert(std::is_same_v<Promoted<DType::i64, DType::f16>, f16>);
static_assert(promote_scalar<float>(DType::i64) == DType::f32 &&
              promote_scalar<int>(DType::bf16) == DType::bf16);
static_assert(size_of(dtype_of<f8e4m3>) == 1 && name_of(DType::bf16)[0] == 'b');

constexpr u32 counter[4] = {0, 0, 0, 0};
constexpr u32 key[2] = {0, 0};
static_assert(philox(counter, key).x[0] == 0x6627e8d5u);

}  // namespace
