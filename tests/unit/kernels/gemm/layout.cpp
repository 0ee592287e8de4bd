#include "weft/kernels/gemm/layout.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace weft;
using namespace weft::kernels;

namespace {

using Numbers = std::vector<double>;

double at(const Numbers& v, i64 i) { return v.at(static_cast<std::size_t>(i)); }

Numbers numbers(i64 count, u32 state) {
  Numbers v(static_cast<std::size_t>(count));
  for (double& x : v) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<double>(state >> 24) - 128;  // small integers: every sum is exact
  }
  return v;
}

// Calls f(a offset, b offset, c offset) for each product of a batch.
template <class F>
void each(const DotBatch& batch, F f) {
  i64 index[4]{};
  i64 count = 1;
  for (int d = 0; d < batch.rank; ++d) count *= batch.extent[d];
  for (i64 n = 0; n < count; ++n) {
    i64 a = 0, b = 0, c = 0;
    for (int d = 0; d < batch.rank; ++d) {
      a += index[d] * batch.a[d];
      b += index[d] * batch.b[d];
      c += index[d] * batch.c[d];
    }
    f(a, b, c);
    for (int d = batch.rank - 1; d >= 0 && ++index[d] == batch.extent[d]; --d) index[d] = 0;
  }
}

// The definition in dot/shape.hpp.
void row_major(const DotShape& s, const DotBatch& batch, const Numbers& a, const Numbers& b, Numbers& c) {
  each(batch, [&](i64 ao, i64 bo, i64 co) {
    for (i64 i = 0; i < s.m; ++i) {
      for (i64 j = 0; j < s.n; ++j) {
        double sum = 0;
        for (i64 l = 0; l < s.k; ++l) {
          sum += at(a, ao + i * s.a_row + l * s.a_col) * at(b, bo + l * s.b_row + j * s.b_col);
        }
        c.at(static_cast<std::size_t>(co + i * s.c_row + j)) = sum;
      }
    }
  });
}

// The Fortran BLAS definition of gemm, strided batched: D = op(X) op(Y), everything column-major.
void column_major_gemm(const DotLayout& l, const double* x, const double* y, double* d) {
  for (i64 e = 0; e < l.batch; ++e) {
    for (i64 j = 0; j < l.n; ++j) {
      for (i64 i = 0; i < l.m; ++i) {
        double sum = 0;
        for (i64 p = 0; p < l.k; ++p) {
          const double xv = l.trans_a ? x[p + i * l.lda] : x[i + p * l.lda];
          const double yv = l.trans_b ? y[j + p * l.ldb] : y[p + j * l.ldb];
          sum += xv * yv;
        }
        d[i + j * l.ldd] = sum;
      }
    }
    x += l.stride_a;
    y += l.stride_b;
    d += l.stride_d;
  }
}

// BLAS's own rule for leading dimensions.
void check_leading_dimensions(const DotLayout& l) {
  CHECK(l.lda >= (l.trans_a ? l.k : l.m));
  CHECK(l.ldb >= (l.trans_b ? l.n : l.k));
  CHECK(l.ldd >= l.m);
}

void check_same(const DotShape& shape, const DotBatch& batch = {}, i64 memory = 4096) {
  const DotLayout layout = dot_layout(shape, batch);
  REQUIRE_MESSAGE(layout.expressible(), layout.problem);
  check_leading_dimensions(layout);
  const Numbers a = numbers(memory, 1), b = numbers(memory, 2);
  Numbers expected = numbers(memory, 3), got = expected;
  row_major(shape, batch, a, b, expected);
  each(layout.outer, [&](i64 ao, i64 bo, i64 co) {
    column_major_gemm(layout, b.data() + bo, a.data() + ao, got.data() + co);
  });
  CHECK(got == expected);  // what is not part of C stays untouched too
}

std::string problem(const DotShape& shape, const DotBatch& batch = {}, bool accumulate = false) {
  const DotLayout layout = dot_layout(shape, batch, accumulate);
  return layout.expressible() ? "" : layout.problem;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("dot_layout: every combination of transposed and padded operands") {
  for (i64 m : {1, 3, 7}) {
    for (i64 n : {1, 4, 5}) {
      for (i64 k : {1, 2, 6}) {
        for (i64 pad : {0, 3}) {
          for (bool ta : {false, true}) {
            for (bool tb : {false, true}) {
              DotShape s{m, n, k};
              s.a_row = ta ? 1 : k + pad;
              s.a_col = ta ? m + pad : 1;
              s.b_row = tb ? 1 : n + pad;
              s.b_col = tb ? k + pad : 1;
              s.c_row = n + pad;
              check_same(s);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("dot_layout: the mapping is the documented one") {
  constexpr DotLayout plain = dot_layout({3, 5, 7, 7, 1, 5, 1, 5});
  static_assert(plain.m == 5 && plain.n == 3 && plain.k == 7);
  static_assert(!plain.trans_a && !plain.trans_b && plain.lda == 5 && plain.ldb == 7 && plain.ldd == 5);
  static_assert(plain.batch == 1 && plain.calls() == 1);
  // y = x W^T with W (out, in), as a linear layer has it
  constexpr DotLayout linear = dot_layout({32, 10, 64, 64, 1, 1, 64, 10});
  static_assert(linear.trans_a && !linear.trans_b && linear.m == 10 && linear.lda == 64);
  // dW = dy^T x
  constexpr DotLayout weight = dot_layout({10, 64, 32, 1, 10, 64, 1, 64});
  static_assert(!weight.trans_a && weight.trans_b && weight.n == 10 && weight.ldb == 10);
  CHECK(plain.expressible());
}

TEST_CASE("dot_layout: batches, one stride, repeated operands, permuted heads") {
  const DotShape s{3, 4, 5, 5, 1, 4, 1, 4};
  check_same(s, {1, {6}, {15}, {20}, {12}, {}});
  check_same(s, {1, {6}, {0}, {20}, {12}, {}});
  check_same(s, {2, {2, 3}, {45, 15}, {60, 20}, {36, 12}, {}});
  CHECK(dot_layout(s, {2, {2, 3}, {45, 15}, {60, 20}, {36, 12}, {}}).batch == 6);

  // (b, s, k) x (k, n): the batch joins the rows
  const DotBatch shared{1, {6}, {15}, {0}, {12}, {}};
  check_same(s, shared);
  CHECK(dot_layout(s, shared).batch == 1);
  CHECK(dot_layout(s, shared).n == 18);
  // both batch dimensions join
  const DotBatch twice{2, {2, 3}, {45, 15}, {0, 0}, {36, 12}, {}};
  check_same(s, twice);
  CHECK(dot_layout(s, twice).n == 18);
  // vectors: one row each
  const DotShape row{1, 4, 5, 0, 1, 4, 1, 0};
  check_same(row, {1, {6}, {5}, {0}, {4}, {}});
  CHECK(dot_layout(row, {1, {6}, {5}, {0}, {4}, {}}).n == 6);

  // attention scores from (b, s, h, d) memory: batch (b, h) = (2, 3), s = 4, d = 5
  const i64 S = 4, H = 3, D = 5;
  const DotShape scores{S, S, D, H * D, 1, 1, H * D, S};
  const DotBatch heads{2, {2, H}, {S * H * D, D}, {S * H * D, D}, {H * S * S, S * S}, {}};
  check_same(scores, heads);
  CHECK(dot_layout(scores, heads).batch == 3);
  CHECK(dot_layout(scores, heads).calls() == 2);
  // one head: back to a single call
  const DotBatch one{2, {2, 1}, {S * D, 7}, {S * D, 7}, {S * S, 7}, {}};
  CHECK(dot_layout({S, S, D, D, 1, 1, D, S}, one).calls() == 1);
  check_same({S, S, D, D, 1, 1, D, S}, one);
}

TEST_CASE("dot_layout: a batch that the library does not take at once is cut into equal calls") {
  const DotShape s{3, 4, 5, 5, 1, 4, 1, 4};
  const DotLayout all = dot_layout(s, {1, {196608}, {15}, {20}, {12}, {}});
  CHECK(all.expressible());
  CHECK(all.batch == 49152);
  CHECK(all.calls() == 4);
  CHECK(all.outer.a[0] == 49152 * 15);
  CHECK(all.outer.b[0] == 49152 * 20);
  CHECK(all.outer.c[0] == 49152 * 12);
  CHECK(all.stride_a == 20);
  CHECK(dot_layout(s, {1, {65535}, {15}, {20}, {12}, {}}).calls() == 1);
  CHECK(dot_layout(s, {2, {2, 65536}, {7, 15}, {1, 20}, {1 << 20, 12}, {}}).calls() == 4);
  CHECK(!dot_layout(s, {1, {65537}, {15}, {20}, {12}, {}}).expressible());  // a prime
}

TEST_CASE("dot_layout: what cannot be expressed says why") {
  CHECK(contains(problem({3, 4, 5, 10, 2, 4, 1, 4}), "first factor"));
  CHECK(contains(problem({3, 4, 5, 5, 1, 8, 2, 4}), "second factor"));
  CHECK(contains(problem({3, 4, 5, 0, 1, 4, 1, 4}), "first factor"));  // one row repeated
  CHECK(contains(problem({3, 4, 5, 5, 1, 4, 1, 3}), "overlap"));
  CHECK(contains(problem({3, 4, 0, 5, 1, 4, 1, 4}), "empty"));
  CHECK(contains(problem({i64{1} << 32, 4, 5, 5, 1, 4, 1, 4}), "2^31"));
  CHECK(contains(problem({3, 4, 5, 5, 1, 4, 1, 4}, {1, {2}, {15}, {20}, {0}, {}}), "same elements"));
  CHECK(contains(problem({3, 4, 5, 5, 1, 4, 1, 4}, {1, {2}, {15}, {20}, {12}, {0}}, true), "added"));
  CHECK(problem({3, 4, 5, 5, 1, 4, 1, 4}, {1, {2}, {15}, {20}, {12}, {0}}).empty());
  CHECK(problem({3, 4, 5, 5, 1, 4, 1, 4}, {1, {2}, {15}, {20}, {12}, {12}}, true).empty());
}

TEST_CASE("dot_layout: finishes that are rejected") {
  const DotLayout plain = dot_layout({32, 64, 16, 16, 1, 64, 1, 64});
  const DotLayout odd = dot_layout({32, 60, 16, 16, 1, 60, 1, 60});
  const DotLayout batch = dot_layout({32, 64, 16, 16, 1, 64, 1, 64}, {1, {2}, {512}, {1024}, {2048}, {}});
  auto ok = [](const DotLayout& l, DType ab, DType c, DotFinish f) {
    return !dot_finish_problem(l, ab, c, f);
  };
  for (auto f : {DotFinish::none, DotFinish::bias, DotFinish::relu_bias, DotFinish::gelu_bias,
                 DotFinish::gelu_aux_bias, DotFinish::dgelu_bgrad, DotFinish::bgrad_a, DotFinish::bgrad_b}) {
    CHECK(ok(plain, DType::bf16, DType::bf16, f));
    CHECK(ok(batch, DType::bf16, DType::bf16, f) == !dot_finish_is_gradient(f));
    CHECK(ok(odd, DType::bf16, DType::bf16, f) == !dot_finish_has_aux(f));
    CHECK(ok(plain, DType::f64, DType::f64, f) == (f == DotFinish::none));
  }
  CHECK(ok(plain, DType::bf16, DType::f32, DotFinish::none));
  CHECK(!ok(plain, DType::bf16, DType::f16, DotFinish::none));
  CHECK(!ok(plain, DType::f32, DType::bf16, DotFinish::none));
  CHECK(!ok(plain, DType::i32, DType::i32, DotFinish::none));
  CHECK(!ok(dot_layout({}), DType::f32, DType::f32, DotFinish::none));
}

TEST_CASE("dot_layout: the first candidate that fits and sums in a fixed order is chosen") {
  constexpr u32 none = 0, in_place = 1, compute = 2, output = 4;
  const DotCandidate c[] = {{false, 0, none},  {true, 100, none},   {true, 0, in_place},
                            {true, 0, output}, {true, 60, compute}, {true, 0, none}};
  CHECK(choose_dot_candidate(c, 6, 1000) == 1);
  CHECK(choose_dot_candidate(c, 6, 99) == 4);
  CHECK(choose_dot_candidate(c, 6, 59) == 5);
  CHECK(choose_dot_candidate(c, 4, 59) == -1);
  CHECK(choose_dot_candidate(c, 0, 59) == -1);
}
