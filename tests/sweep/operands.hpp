#pragma once
// The operands of the sweep's operations, by name: dtypes, shapes, and the letters they have in a row. Their
// values are those of tests/parity/generate_sweep.py. Elementwise: each result depends on the operands at its
// place alone, so derivatives are those of a function of numbers.

#include <tuple>

#include "weft/ops/core/expr.hpp"

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
struct huge {  // finite rows whose sums or squares overflow
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<6, 6>>>;
};
struct distinct {  // rows without equal elements
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<24, 6>>>;
};
struct two_lines {  // such rows beside others
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<24, 6>>, Expr<T, Shape<24, 6>>>;
};
struct three_lines {
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<24, 6>>, Expr<T, Shape<24, 6>>, Expr<T, Shape<24, 6>>>;
};
struct signed_lines {  // z is -1 or 1
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<24, 6>>, Expr<T, Shape<24, 6>>, Expr<T, Shape<24>>>;
};
struct tame {  // finite numbers, zeros and ties among them
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<4, 6>>>;
};
struct two_tame {
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<4, 6>>, Expr<T, Shape<4, 6>>>;
};
struct vector {
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<6>>>;
};
struct two_vectors {
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<6>>, Expr<T, Shape<6>>>;
};
struct square {  // a matrix of edge values
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<4, 4>>>;
};
struct cube {  // edge values
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<2, 3, 4>>>;
};
struct two_cubes {
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<2, 3, 4>>, Expr<T, Shape<2, 3, 4>>>;
};
struct indices {  // x, places along its second axis with updates, places along either with slices
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<4, 6>>, Expr<i64, Shape<4, 3>>, Expr<i64, Shape<3>>,
                        Expr<T, Shape<4, 3>>, Expr<T, Shape<3, 6>>>;
};
struct two_small {
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<3>>, Expr<T, Shape<4>>>;
};
struct matrices {  // x (4, 3), y (3, 4), z (4, 4), not all finite
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<4, 3>>, Expr<T, Shape<3, 4>>, Expr<T, Shape<4, 4>>>;
};
struct matrices_nan {  // as matrices, but that z is NaN; w is finite
  static constexpr bool elementwise = false;
  template <class T>
  using of =
      std::tuple<Expr<T, Shape<4, 3>>, Expr<T, Shape<3, 4>>, Expr<T, Shape<4, 4>>, Expr<T, Shape<4, 4>>>;
};
struct batches {
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<2, 3, 4>>, Expr<T, Shape<2, 4, 3>>, Expr<T, Shape<3, 3>>>;
};
struct batches_nan {  // z is NaN
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<2, 3, 4>>, Expr<T, Shape<2, 4, 3>>, Expr<T, Shape<3, 3>>>;
};
struct signals {  // x, a window, a bias
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<2, 2, 6>>, Expr<T, Shape<2, 2, 3>>, Expr<T, Shape<2>>>;
};
struct images {
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<1, 2, 4, 5>>, Expr<T, Shape<2, 2, 3, 3>>, Expr<T, Shape<2>>>;
};
struct volumes {
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<1, 1, 3, 4, 3>>, Expr<T, Shape<1, 1, 2, 2, 2>>>;
};
struct edge_signals {  // not all finite, with ties
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<2, 2, 6>>>;
};
struct edge_images {
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<1, 2, 4, 5>>>;
};
struct places {  // an image, places in it (1, 4, 5, 2)
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<1, 2, 4, 5>>, Expr<T, Shape<1, 4, 5, 2>>>;
};
struct heads {  // query, key, value
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<1, 2, 3, 4>>, Expr<T, Shape<1, 2, 3, 4>>, Expr<T, Shape<1, 2, 3, 4>>>;
};
struct empties {  // without elements, all but u
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<0>>, Expr<T, Shape<0, 5>>, Expr<T, Shape<5, 0>>,
                        Expr<T, Shape<2, 0, 3>>, Expr<T, Shape<5>>>;
};
struct images_empty {  // a batch of none, windows, a bias
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<0, 2, 4, 5>>, Expr<T, Shape<2, 2, 3, 3>>, Expr<T, Shape<2>>>;
};
struct volumes_empty {
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<0, 2, 4, 4, 4>>>;
};
struct heads_empty {  // a batch of none; no keys
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<0, 2, 3, 4>>, Expr<T, Shape<0, 2, 5, 4>>, Expr<T, Shape<1, 2, 0, 4>>>;
};
struct point {  // a number and a class
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<>>, Expr<i64, Shape<>>>;
};
struct sorted {  // an ascending vector, and edge values
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<8>>, Expr<T, Shape<128>>>;
};
struct affine {  // rows, a weight and a bias
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<24, 6>>, Expr<T, Shape<6>>, Expr<T, Shape<6>>>;
};
struct labelled {  // rows, a label of each, weights of the classes
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<24, 6>>, Expr<i64, Shape<24>>, Expr<T, Shape<6>>>;
};
struct labelled_tame {
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<4, 6>>, Expr<i64, Shape<4>>>;
};
struct multilabelled {  // labels end with -1
  static constexpr bool elementwise = false;
  template <class T>
  using of = std::tuple<Expr<T, Shape<24, 6>>, Expr<i64, Shape<24, 6>>>;
};
struct alignments {  // log probabilities (T, N, C), targets (N, S), both lengths
  static constexpr bool elementwise = false;
  template <class T>
  using of =
      std::tuple<Expr<T, Shape<6, 4, 3>>, Expr<i64, Shape<4, 2>>, Expr<i64, Shape<4>>, Expr<i64, Shape<4>>>;
};

}  // namespace weft::sweep::operands

#define SWEEP_OPERANDS_none
#define SWEEP_OPERANDS_unary , [[maybe_unused]] auto x
#define SWEEP_OPERANDS_binary , [[maybe_unused]] auto x, [[maybe_unused]] auto y
#define SWEEP_OPERANDS_ternary , [[maybe_unused]] auto x, [[maybe_unused]] auto y, [[maybe_unused]] auto z
#define SWEEP_OPERANDS_probabilities SWEEP_OPERANDS_binary
#define SWEEP_OPERANDS_signs SWEEP_OPERANDS_binary
#define SWEEP_OPERANDS_variances SWEEP_OPERANDS_ternary
#define SWEEP_OPERANDS_lines SWEEP_OPERANDS_unary
#define SWEEP_OPERANDS_huge SWEEP_OPERANDS_unary
#define SWEEP_OPERANDS_distinct SWEEP_OPERANDS_unary
#define SWEEP_OPERANDS_tame SWEEP_OPERANDS_unary
#define SWEEP_OPERANDS_two_lines SWEEP_OPERANDS_binary
#define SWEEP_OPERANDS_two_tame SWEEP_OPERANDS_binary
#define SWEEP_OPERANDS_sorted SWEEP_OPERANDS_binary
#define SWEEP_OPERANDS_three_lines SWEEP_OPERANDS_ternary
#define SWEEP_OPERANDS_signed_lines SWEEP_OPERANDS_ternary
#define SWEEP_OPERANDS_affine SWEEP_OPERANDS_ternary
#define SWEEP_OPERANDS_vector SWEEP_OPERANDS_unary
#define SWEEP_OPERANDS_square SWEEP_OPERANDS_unary
#define SWEEP_OPERANDS_cube SWEEP_OPERANDS_unary
#define SWEEP_OPERANDS_two_vectors SWEEP_OPERANDS_binary
#define SWEEP_OPERANDS_two_cubes SWEEP_OPERANDS_binary
#define SWEEP_OPERANDS_indices                                                                          \
  , [[maybe_unused]] auto x, [[maybe_unused]] auto i, [[maybe_unused]] auto j, [[maybe_unused]] auto y, \
      [[maybe_unused]] auto z
#define SWEEP_OPERANDS_two_small SWEEP_OPERANDS_binary
#define SWEEP_OPERANDS_places SWEEP_OPERANDS_binary
#define SWEEP_OPERANDS_matrices SWEEP_OPERANDS_ternary
#define SWEEP_OPERANDS_matrices_nan SWEEP_OPERANDS_ternary, [[maybe_unused]] auto w
#define SWEEP_OPERANDS_batches SWEEP_OPERANDS_ternary
#define SWEEP_OPERANDS_batches_nan SWEEP_OPERANDS_ternary
#define SWEEP_OPERANDS_signals SWEEP_OPERANDS_ternary
#define SWEEP_OPERANDS_images SWEEP_OPERANDS_ternary
#define SWEEP_OPERANDS_volumes SWEEP_OPERANDS_binary
#define SWEEP_OPERANDS_edge_signals SWEEP_OPERANDS_unary
#define SWEEP_OPERANDS_edge_images SWEEP_OPERANDS_unary
#define SWEEP_OPERANDS_heads SWEEP_OPERANDS_ternary
#define SWEEP_OPERANDS_empties SWEEP_OPERANDS_ternary, [[maybe_unused]] auto w, [[maybe_unused]] auto u
#define SWEEP_OPERANDS_images_empty SWEEP_OPERANDS_ternary
#define SWEEP_OPERANDS_volumes_empty SWEEP_OPERANDS_unary
#define SWEEP_OPERANDS_heads_empty SWEEP_OPERANDS_ternary
#define SWEEP_OPERANDS_point SWEEP_OPERANDS_labelled_tame
#define SWEEP_OPERANDS_labelled , [[maybe_unused]] auto x, [[maybe_unused]] auto i, [[maybe_unused]] auto y
#define SWEEP_OPERANDS_labelled_tame , [[maybe_unused]] auto x, [[maybe_unused]] auto i
#define SWEEP_OPERANDS_multilabelled SWEEP_OPERANDS_labelled_tame
#define SWEEP_OPERANDS_alignments , auto x, auto i, auto j, auto k
