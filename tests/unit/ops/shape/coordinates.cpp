#include "weft/ops/shape/coordinates.hpp"

#include "support/parity.hpp"
#include "weft/exec/immediate.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("creation: logspace, triangles' indices, grids") {
  check_group(
      "coordinates",
      [](auto) {
        const auto x = arange<i64, 3>();
        const auto y = arange<i64, 4>() * 2;
        const auto [a, b] = meshgrid(x, y);
        const auto [c, d] = meshgrid(indexing_xy, x, y);
        return std::tuple{logspace<f32, 4>(-1, 2),
                          logspace<f32, 6>(0, 5, 2),
                          tril_indices<3, 4, -1>(),
                          triu_indices<3, 4, 1>(),
                          a,
                          b,
                          c,
                          d};
      },
      in<f32, 5>);
}

TEST_CASE("creation: views of the caller's memory are operands without a copy") {
  const f32 numbers[6]{1, 2, 3, 4, 5, 6};
  const TensorView<const f32, Shape<2, 3>, Cpu> view(numbers);
  CHECK(view(1, 2) == 6);
  f32 own[6]{1, 2, 3, 4, 5, 6};
  const TensorView<f32, Shape<2, 3>, Cpu> x(own);
  Tensor<f32, Shape<2>> y = sum<1>(x * 2);
  CHECK(y.to_vector() == std::vector<f32>{12, 30});
  own[0] = 11;
  y = sum<1>(x * 2);
  CHECK(y[0] == 32);
}
