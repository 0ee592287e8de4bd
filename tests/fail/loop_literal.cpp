// expect: of the carry and the stacked inputs at least one is a traced value
// first-error: of the carry and the stacked inputs at least one is a traced value
#include "weft/exec/function.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/transform/loop.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return loop<3>([&](const auto& carry) { return carry + x; }, zeros_like(x));
#else
        return loop<3>([&](const auto& carry) { return carry + x; }, zeros<f32, 2, 4>());
#endif
      },
      in<f32, 2, 4>);
}
