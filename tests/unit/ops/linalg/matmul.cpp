#include "weft/ops/linalg/matmul.hpp"

#include "support/parity.hpp"
#include "weft/ops/shape/rearrange.hpp"
#include "weft/ops/shape/triangular.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("linalg: products of vectors, matrices and batches") {
  check_group(
      "linalg",
      [](auto a, auto b, auto v, auto c) {
        const auto first = select<0, 0>(a);
        return std::tuple{matmul(first, b),
                          matmul(a, b),
                          matmul(a, v),
                          matmul(v, v),
                          matmul(v, b),
                          matmul(a, c),
                          matmul(t(b), t(select<0, 1>(a))),
                          bmm(a, transpose<1, 2>(a)),
                          addmm(select<0, 0>(b), select<0, 2>(a), b, 0.5, 2),
                          outer(v, select<0, 0>(b)),
                          linear(a, t(b), select<0, 1>(b)),
                          trace(b),
                          matmul(expand<4, 5>(v), b),
                          matmul(t(reshape<5, 12>(permute<2, 0, 1>(a))), b)};
      },
      in<f32, 3, 4, 5>, in<f32, 5, 7>, in<f32, 5>, in<f32, 2, 1, 5, 3>);
}
TEST_CASE("triangular: triangles and diagonals") {
  check_group(
      "triangular",
      [](auto a, auto b) {
        return std::tuple{tril(a),        triu<1>(a),      tril<-1>(b),    triu<-2>(b),       diagonal(b),
                          diagonal<2>(b), diagonal<-3>(b), diagonal<1>(a), diagonal<-1>(t(b))};
      },
      in<f32, 3, 4, 5>, in<f32, 5, 7>);
}
