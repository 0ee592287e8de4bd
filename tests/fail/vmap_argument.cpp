// wrote: return vmap<0>([](auto row) { return sum(row); }, x);
// write: return vmap<0>([](auto row) { return sum(row); })(x);
// expect: Shape<4, 8>
// first-error: take the function alone and return one: write grad(f)(x)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return vmap<0>([](auto row) { return sum(row); })(x);
#else
        return vmap<0>([](auto row) { return sum(row); }, x);
#endif
      },
      in<f32, 4, 8>);
}
