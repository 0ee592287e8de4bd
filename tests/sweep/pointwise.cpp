#include "sweep/pointwise.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "weft/kernels/evaluator/arithmetic.hpp"

namespace weft::sweep {
namespace {

using kernels::LaneFamily;
using kernels::Opcode;
using kernels::ScalarFamily;
using kernels::value_of;

constexpr int pointwise_count = static_cast<int>(ir::Op::fma) - static_cast<int>(ir::Op::neg) + 1;

template <class Family, DType t>
value_of<Family, t> load_value(const void* p, i64 k) {
  const auto* x = static_cast<const ctype<t>*>(p) + k;
  if constexpr (t != DType::boolean)
    return kernels::load<value_of<Family, t>>(x);
  else if constexpr (Family::width == 1)
    return *x;
  else
    return kernels::load<kernels::Simd<i32>>(x) != kernels::splat<kernels::Simd<i32>>(0);
}

// Whether the register holds only what dtype t can: a later instruction of the same kernel reads it as it is.
template <DType t, class V>
bool holds(const V& x) {
  if constexpr (t == DType::f16 || t == DType::bf16 || t == DType::f8e4m3 || t == DType::f8e5m2 ||
                t == DType::i8 || t == DType::u8) {
    using R = kernels::lane_of<V>;
    const V rounded = kernels::round_to<t>(x);
    R a[kernels::lanes]{}, b[kernels::lanes]{};
    __builtin_memcpy(a, &x, sizeof x);
    __builtin_memcpy(b, &rounded, sizeof rounded);
    for (int k = 0; k < kernels::lanes; ++k)
      if (a[k] != b[k] && (a[k] == a[k] || b[k] == b[k])) return false;
  }
  return true;
}

using Kernel = bool (*)(const void* a, const void* b, const void* c, void* r, i64 n);

constexpr bool defined(Opcode op, DType t) {
  switch (op) {
    case Opcode::cast:
    case Opcode::bitcast:
      return false;  // by pairs of dtypes
    case Opcode::copy:
    case Opcode::select:
    case Opcode::logical_not:
      return true;
    case Opcode::fma:
      return is_float(t);
    case Opcode::bit_and:
    case Opcode::bit_or:
    case Opcode::bit_xor:
      return !is_float(t);
    case Opcode::shift_right:
      return is_integer(t);
    case Opcode::add:
    case Opcode::mul:
    case Opcode::max:
    case Opcode::min:
    case Opcode::eq:
    case Opcode::ne:
    case Opcode::lt:
    case Opcode::le:
      return true;
    case Opcode::neg:
    case Opcode::abs:
    case Opcode::sign:
    case Opcode::floor:
    case Opcode::ceil:
    case Opcode::round:
    case Opcode::trunc:
    case Opcode::sub:
    case Opcode::div:
    case Opcode::pow:
    case Opcode::fmod:
      return t != DType::boolean;
    default:
      return is_float(t);
  }
}
constexpr bool predicate(Opcode op) {
  return op == Opcode::is_finite || op == Opcode::is_nan || op == Opcode::logical_not ||
         (op >= Opcode::eq && op <= Opcode::le);
}

template <class Family, Opcode op, DType t>
bool run(const void* a, const void* b, const void* c, void* r, i64 n) {
  constexpr DType to = predicate(op) ? DType::boolean : t;
  bool good = true;
  for (i64 k = 0; k < n; k += Family::width) {
    const auto write = [&](const auto& y) {
      good = good && holds<to>(y);
      kernels::store(static_cast<ctype<to>*>(r) + k, y);
    };
    if constexpr (op == Opcode::select) {
      const auto condition = load_value<Family, DType::boolean>(a, k);
      const auto x = load_value<Family, t>(b, k), y = load_value<Family, t>(c, k);
      using V = std::remove_const_t<decltype(x)>;
      if constexpr (std::is_same_v<V, bool>)
        write(condition ? x : y);
      else
        write(kernels::select(kernels::widen_mask<V>(condition), x, y));
    } else if constexpr (op == Opcode::fma) {
      write(kernels::multiply_add<to>(load_value<Family, t>(a, k), load_value<Family, t>(b, k),
                                      load_value<Family, t>(c, k)));
    } else if constexpr (op < Opcode::add) {
      write(kernels::unary<op, to, t, Family>(load_value<Family, t>(a, k)));
    } else {
      write(kernels::binary<op, to, t, Family>(load_value<Family, t>(a, k), load_value<Family, t>(b, k)));
    }
  }
  return good;
}
template <class Family, DType to, DType from>
bool run_cast(const void* a, const void*, const void*, void* r, i64 n) {
  bool good = true;
  for (i64 k = 0; k < n; k += Family::width) {
    const auto y = kernels::cast_register<to, from, Family>(load_value<Family, from>(a, k));
    good = good && holds<to>(y);
    kernels::store(static_cast<ctype<to>*>(r) + k, y);
  }
  return good;
}

template <class Family>
struct Kernels {
  Kernel of[pointwise_count][dtype_count]{};
  Kernel cast[dtype_count][dtype_count]{};  // to, from

  template <int op, int t>
  constexpr void enter() {
    constexpr auto code = static_cast<Opcode>(op);
    constexpr auto dtype = static_cast<DType>(t);
    if constexpr (defined(code, dtype)) of[op][t] = run<Family, code, dtype>;
  }
  template <int op, int... t>
  constexpr void enter_dtypes(std::integer_sequence<int, t...>) {
    (enter<op, t>(), ...);
  }
  template <int to, int... from>
  constexpr void enter_casts(std::integer_sequence<int, from...>) {
    ((cast[to][from] = run_cast<Family, static_cast<DType>(to), static_cast<DType>(from)>), ...);
  }
  template <int... k>
  constexpr void enter_all(std::integer_sequence<int, k...>) {
    (enter_dtypes<k>(std::make_integer_sequence<int, dtype_count>{}), ...);
  }
  template <int... to>
  constexpr void enter_all_casts(std::integer_sequence<int, to...>) {
    (enter_casts<to>(std::make_integer_sequence<int, dtype_count>{}), ...);
  }
  constexpr Kernels() {
    enter_all(std::make_integer_sequence<int, pointwise_count>{});
    enter_all_casts(std::make_integer_sequence<int, dtype_count>{});
  }
};
constexpr Kernels<ScalarFamily> on_scalars;
constexpr Kernels<LaneFamily> on_lanes;

}  // namespace

bool pointwise(ir::Op op, DType to, DType from, Path path, const void* a, const void* b, const void* c,
               void* r, i64 n, std::string& fault) {
  const int t = static_cast<int>(from);
  if (op == ir::Op::bitcast) {
    __builtin_memcpy(r, a, static_cast<std::size_t>(n * size_of(to)));
    return true;
  }
  const int code = static_cast<int>(op) - static_cast<int>(ir::Op::neg);
  const auto find = [&](const auto& all) {
    return op == ir::Op::cast ? all.cast[static_cast<int>(to)][t] : all.of[code][t];
  };
  const Kernel kernel = path == Path::lanes ? find(on_lanes) : find(on_scalars);
  if (kernel == nullptr) return false;
  if (!kernel(a, b, c, r, n))
    fault = std::string(ir::info(op).name) + " of " + name_of(from) + ": a register holds what " +
            name_of(to) + " cannot";
  return true;
}

}  // namespace weft::sweep

TEST_CASE("sweep: every primitive has functions of scalars and of lanes") {
  using namespace weft;
  int found = 0;
  for (int op = static_cast<int>(ir::Op::neg); op <= static_cast<int>(ir::Op::fma); ++op)
    for (int t = 0; t < dtype_count; ++t) {
      const auto code = static_cast<ir::Op>(op);
      const auto dtype = static_cast<DType>(t);
      const DType to = ir::is_predicate(code) ? DType::boolean : dtype;
      if (code == ir::Op::bitcast) continue;
      u64 a[64]{}, b[64]{}, c[64]{}, x[64]{}, y[64]{};
      std::string fault;
      const bool lanes = sweep::pointwise(code, to, dtype, sweep::Path::lanes, a, b, c, x, 16, fault);
      CHECK(lanes == sweep::pointwise(code, to, dtype, sweep::Path::scalars, a, b, c, y, 16, fault));
      CHECK(fault.empty());
      found += lanes;
    }
  CHECK(found > 300);
}
