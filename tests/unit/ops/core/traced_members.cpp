#include "weft/ops/core/traced_members.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/device.hpp"
#include "weft/exec/function.hpp"
#include "weft/ops/math/pointwise.hpp"
#include "weft/ops/shape/movement.hpp"

using namespace weft;
using weft::testing::test_device;

TEST_CASE("traced_members: a value says its extents, its size and its rank") {
  auto f = compile(
      test_device(),
      [](auto x) {
        static_assert(x.numel() == 6 && x.dim() == 2 && x.extent(0) == 2 && x.extent(-1) == 3);
        return reshape<x.extent(1), x.extent(0)>(+x) * x.extent(0) + x.numel();
      },
      in<f32, 2, 3>);
  const auto y = f(std::vector<f32>{0, 1, 2, 3, 4, 5});
  CHECK(y(2, 1) == 5 * 2 + 6);
}

// What overload resolution may ask of a value is no error: only what is chosen is refused.
using X = Expr<f32, Shape<2, 3>>;
static_assert(std::is_convertible_v<X, float> && !std::is_convertible_v<X, const char*>);
constexpr int chosen(float) { return 0; }
template <class T, class S>
constexpr int chosen(const Expr<T, S>&) {
  return 1;
}
static_assert(chosen(X{}) == 1 && chosen(1.0f) == 0);
