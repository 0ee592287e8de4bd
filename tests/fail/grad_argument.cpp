// wrote: return grad([](auto h) { return sum(h * h); }, x);
// write: return grad([](auto h) { return sum(h * h); })(x);
// expect: Shape<4, 8>
// first-error: take the function alone and return one: write grad(f)(x)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return grad([](auto h) { return sum(h * h); })(x);
#else
        return grad([](auto h) { return sum(h * h); }, x);
#endif
      },
      in<f32, 4, 8>);
}
