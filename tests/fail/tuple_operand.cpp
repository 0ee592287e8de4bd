// wrote: auto h = sort<0>(x); return h * 2;
// write: auto [h, places] = sort<0>(x); return h * 2;
// expect: Shape<4, 8>
// first-error: an operand is a tuple: take it apart first: auto [y, state] =
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto [h, places] = sort<0>(x);
        return h * 2;
#else
        auto h = sort<0>(x);
        return h * 2;
#endif
      },
      in<f32, 4, 8>);
}
