// expect: stacked inputs have one leading axis of equal extent
// expect: Shape<4, 2>
// first-error: stacked inputs have one leading axis of equal extent
#include "weft/exec/function.hpp"
#include "weft/ops/math/pointwise.hpp"
#include "weft/ops/transform/loop.hpp"
using namespace weft;

#ifdef WEFT_FIXED
constexpr i64 trips = 5;
#else
constexpr i64 trips = 4;
#endif

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y, auto h) {
        return loop([](const auto& carry, const auto& a, const auto& b) { return carry * a + b; }, h, x, y);
      },
      in<f32, 5, 2>, in<f32, trips, 2>, in<f32, 2>);
}
