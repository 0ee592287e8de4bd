#include "weft/ops/shape/rearrange.hpp"

#include "support/parity.hpp"
#include "weft/ops/reduce/reduce.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("rearrange: views and copies, as PyTorch") {
  check_group(
      "movement",
      [](auto m, auto n) {
        return std::tuple{reshape<5, -1>(m),
                          flatten<1>(m),
                          flatten(m),
                          transpose<0, -1>(m),
                          permute<2, 0, 1>(m),
                          t(select<0, 0>(m)),
                          squeeze<1>(n),
                          unsqueeze<-2>(m),
                          expand<-1, 3, -1>(n),
                          expand_as(n, m),
                          repeat<2, 1, 3, 1>(n),
                          tile<2, 2>(m),
                          flip<0, 2>(m),
                          roll<2, -1>(m),
                          roll<-1, 1>(m),
                          narrow<1, 1, 2>(m),
                          select<2, -2>(m),
                          slice<2, 1, 5, 2>(m),
                          slice<1, -2>(m),
                          reshape<3, 10>(permute<1, 2, 0>(m))};
      },
      in<f32, 2, 3, 5>, in<f32, 2, 1, 5>);
}
TEST_CASE("concat: cat, stack, split, chunk and pad, as PyTorch") {
  check_group(
      "concat",
      [](auto m, auto n) {
        const auto [a, b, c] = split<2, 2>(m);
        const auto [p, q] = chunk<2, 1>(m);
        const auto turned = transpose<1, 2>(m);
        return std::tuple{
            cat<1>(m, n, m), cat<-1>(turned, turned * 2), stack<1>(m, m * m), stack<-1>(m, -m),    a, c, p, q,
            pad<1, 2>(m),    pad<0, 1, 2, 0>(m, -3),      pad<-1, 1>(m),      sum<1>(cat<1>(m, n))};
      },
      in<f32, 2, 3, 5>, in<f32, 2, 1, 5>);
}
