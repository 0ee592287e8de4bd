// expect: vmap: every tensor has an axis of samples
// expect: Shape<5, 3>
// first-error: vmap: every tensor has an axis of samples
#include "weft/exec/function.hpp"
#include "weft/ops/math/pointwise.hpp"
#include "weft/ops/transform/vmap.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return vmap<0, unmapped>([](auto a, auto b) { return b + a; })(x, y);
#else
        return vmap([](auto a, auto b) { return b + a; })(x, y);
#endif
      },
      in<f32, 4, 3>, in<f32, 5, 3>);
  static_cast<void>(f);
}
