#pragma once
// The sweep: every operation on edge values, its value, first and second derivative, in every dtype that it
// takes, beside PyTorch's in f64 and in the dtype itself (tests/parity/generate_sweep.py, which reads these
// tables).
//
//   ROW("asinh", fraction, unary, "torch.asinh(x)", asinh(x));
//
// is one operation: its name in tests/registry/operations.txt, perhaps followed by a word of its own; its
// family in tests/registry/dtypes.txt; its operands (operands.hpp); PyTorch's spelling; weft's. T is the
// dtype at hand. Both give one tensor or a tuple of them. Graphs are built, differentiated and evaluated at
// run time.

#include <string_view>
#include <tuple>
#include <vector>

#include "sweep/operands.hpp"
#include "weft/ops/core/expr.hpp"

namespace weft::sweep {

// Which dtypes the families of tests/registry/dtypes.txt take, as bits; "wide" are numbers but the 8-bit
// floats, in which an operation made of several rounds more than once. Derivatives are of floats but the
// 8-bit ones.
constexpr u32 dtypes_of(std::string_view family) {
  const auto bit = [](DType t) { return 1u << static_cast<int>(t); };
  u32 floats = 0, integers = 0;
  for (const DType t : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2})
    floats |= bit(t);
  for (const DType t : {DType::i64, DType::i32, DType::i8, DType::u8}) integers |= bit(t);
  const u32 boolean = bit(DType::boolean);
  if (family == "number" || family == "product" || family == "real") return floats | integers;
  const u32 tiny = bit(DType::f8e4m3) | bit(DType::f8e5m2);
  if (family == "wide") return (floats & ~tiny) | integers;
  if (family == "single") return bit(DType::f32);
  if (family == "bits") return integers | boolean;
  if (family == "integer") return integers;
  if (family == "loss") return floats & ~tiny;
  if (family == "float") return floats;
  return floats | integers | boolean;
}

// Builds an operation's nodes in `b`: those of its operands and of its results.
using Trace = void (*)(ir::Builder& b, std::vector<int>& operands, std::vector<int>& results);

struct Row {
  const char* key;
  const char* family;
  const char* operands;
  const char* file;
  bool elementwise;
  Trace trace[dtype_count];
};
std::vector<Row>& rows();
struct Enter {
  explicit Enter(const Row& row) { rows().push_back(row); }
};

template <class T>
struct Dtype {};

template <class R>
void add_results(ir::Builder& b, const R& r, std::vector<int>& results) {
  if constexpr (Operand<R>)
    results.push_back(detail::traced(b, r).value.id);
  else
    std::apply([&](const auto&... one) { (add_results(b, one, results), ...); }, r);
}

template <class F, class T, class... S>
void trace(ir::Builder& b, std::vector<int>& operands, std::vector<int>& results) {
  [[maybe_unused]] const auto operand = [&]<class E, class Dims>(const Expr<E, Dims>*) {
    const auto number = static_cast<u64>(operands.size());
    operands.push_back(b.leaf(ir::Op::input, dtype_of<E>, Dims::value, number));
    return Expr<E, Dims>{ir::Value{&b, operands.back()}};
  };
  const std::tuple<Dtype<T>, S...> all{Dtype<T>{}, operand(static_cast<const S*>(nullptr))...};
  add_results(b, std::apply(F{}, all), results);
}

template <u32 dtypes, class Set, class F>
constexpr Row make_row(const char* key, const char* family, const char* operands, const char* file, F) {
  Row row{key, family, operands, file, Set::elementwise, {}};
  const auto enter = [&]<class T>(T) {
    constexpr int t = static_cast<int>(dtype_of<T>);
    if constexpr ((dtypes >> t & 1u) != 0)
      row.trace[t] = []<class... S>(std::tuple<S...>*) -> Trace {
        return trace<F, T, S...>;
      }(static_cast<typename Set::template of<T>*>(nullptr));
  };
  enter(double{}), enter(float{}), enter(f16{}), enter(bf16{}), enter(f8e4m3{}), enter(f8e5m2{});
  enter(i64{}), enter(i32{}), enter(i8{}), enter(u8{}), enter(bool{});
  return row;
}

#define SWEEP_JOIN_(a, b) a##b
#define SWEEP_JOIN(a, b) SWEEP_JOIN_(a, b)
#define ROW(key, family, set, torch, ...)                                                     \
  static const ::weft::sweep::Enter SWEEP_JOIN(entered_, __COUNTER__) {                       \
    ::weft::sweep::make_row<::weft::sweep::dtypes_of(#family), ::weft::sweep::operands::set>( \
        key, #family, #set, __FILE__,                                                         \
        []<class T>(::weft::sweep::Dtype<T> SWEEP_OPERANDS_##set) { return __VA_ARGS__; })    \
  }

// Compares every row that was entered in a file with the data made for it.
void check_rows(const char* file);

}  // namespace weft::sweep
