// expect: the body must return the next carry with the dtype and shape of the carry
// expect: Shape<3>
// first-error: the body must return the next carry with the dtype and shape of the carry
#include "weft/exec/function.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/transform/loop.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto h) {
        return loop(
            [](const auto& carry, const auto& slice) {
#ifdef WEFT_FIXED
              return carry + slice;
#else
              return sum<0>(carry + slice);
#endif
            },
            h, x);
      },
      in<f32, 5, 2, 3>, in<f32, 2, 3>);
}
