#pragma once
// The operands of the sweep's operations, by name: dtypes, shapes, and the letters they have in a row. Their
// values are those of tests/parity/generate_sweep.py. Elementwise: each result depends on the operands at its
// place alone, so derivatives are those of a function of numbers.

#include <tuple>

#include "weft/ops/expr.hpp"

namespace weft::sweep::operands {

struct none {
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<>;
};
struct unary {  // edge values
  static constexpr bool elementwise = true;
  template <class T>
  using of = std::tuple<Expr<T, Shape<128>>>;
};
struct binary {  // pairs of edge values
  static constexpr bool elementwise = true;
  template <class T>
  using of = std::tuple<Expr<T, Shape<256>>, Expr<T, Shape<256>>>;
};
struct ternary {  // triples of edge values
  static constexpr bool elementwise = true;
  template <class T>
  using of = std::tuple<Expr<T, Shape<128>>, Expr<T, Shape<128>>, Expr<T, Shape<128>>>;
};
struct probabilities {  // x in [0, 1], targets y
  static constexpr bool elementwise = true;
  template <class T>
  using of = std::tuple<Expr<T, Shape<64>>, Expr<T, Shape<64>>>;
};
struct signs {  // y is -1 or 1
  static constexpr bool elementwise = true;
  template <class T>
  using of = std::tuple<Expr<T, Shape<32>>, Expr<T, Shape<32>>>;
};
struct variances {  // z is not negative
  static constexpr bool elementwise = true;
  template <class T>
  using of = std::tuple<Expr<T, Shape<128>>, Expr<T, Shape<128>>, Expr<T, Shape<128>>>;
};
struct lines {  // rows of zeros, ties, one infinity, one NaN, ...
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<24, 6>>>;
};

}  // namespace weft::sweep::operands

#define SWEEP_OPERANDS_none
#define SWEEP_OPERANDS_unary , [[maybe_unused]] auto x
#define SWEEP_OPERANDS_binary , [[maybe_unused]] auto x, [[maybe_unused]] auto y
#define SWEEP_OPERANDS_ternary , [[maybe_unused]] auto x, [[maybe_unused]] auto y, [[maybe_unused]] auto z
#define SWEEP_OPERANDS_probabilities SWEEP_OPERANDS_binary
#define SWEEP_OPERANDS_signs SWEEP_OPERANDS_binary
#define SWEEP_OPERANDS_variances SWEEP_OPERANDS_ternary
#define SWEEP_OPERANDS_lines , [[maybe_unused]] auto x
