#include "support/parity.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/reduce/composed.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("pointwise: integers keep their arithmetic and promote as in PyTorch") {
  check_group(
      "integers",
      [](auto i, auto j, auto k) {
        return std::tuple{
            i + k,   i * j,       i / j,      remainder(i, j), fmod(i, j),      floor_divide(i, j),
            abs(i),  sum(k),      mean<0>(i), amax<1>(i),      clamp(i, -5, 5), i < k,
            i * 0.5, argmin<1>(i)};
      },
      in<i64, 3, 5>, in<i64, 5>, in<i32, 5>);
}
