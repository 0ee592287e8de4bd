// wrote: return vmap<0>([](auto) { return 1; })(x);
// write: return vmap<0>([](auto row) { return sum(row); })(x);
// expect: int
// first-error: returns a plain number
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return vmap<0>([](auto row) { return sum(row); })(x);
#else
        return vmap<0>([](auto) { return 1; })(x);
#endif
      },
      in<f32, 4, 8>);
}
