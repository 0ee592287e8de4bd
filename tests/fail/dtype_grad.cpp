// wrote: return grad([](auto h) { return sum(h); })(x);
// write: return grad([](auto h) { return sum(h); })(cast<f32>(x));
// expect: Shape<4>
// first-error: grad: the argument to differentiate by must be a floating-point
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return grad([](auto h) { return sum(h); })(cast<f32>(x));
#else
        return grad([](auto h) { return sum(h); })(x);
#endif
      },
      in<i32, 4>);
}
