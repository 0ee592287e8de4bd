#include "weft/core/checked_extent.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "weft/weft.hpp"

using namespace weft;

namespace {

template <class X>
void check_extents(const X& x) {  // of (2, 3)
  CHECK(x.extent(0) == 2);
  CHECK(x.extent(1) == 3);
  CHECK(x.extent(-1) == 3);
  CHECK(x.extent(-2) == 2);
  for (const int axis : {2, 3, 8, 1000000, -3, -9, -1000000}) {
    try {
      (void)x.extent(axis);
      FAIL("no Error for axis ", axis);
    } catch (const Error& e) {
      CHECK(e.id() == "tensor/axis");
      CHECK(std::string(e.what()).find("axis " + std::to_string(axis) + " does not exist") !=
            std::string::npos);
    }
  }
}

}  // namespace

TEST_CASE("checked_extent: an axis that does not exist is an Error wherever an extent is asked for") {
  const Tensor<f32, Shape<2, 3>> tensor;
  check_extents(tensor);
  check_extents(tensor.view());
  check_extents(Expr<f32, Shape<2, 3>>{});
  check_extents(data::Array<f32>({2, 3}));
  static_assert(checked_extent(Shape<2, 3>::value, -1) == 3);
}
