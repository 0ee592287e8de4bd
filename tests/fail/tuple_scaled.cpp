// wrote: return 2 * topk<2>(x);
// write: auto [values, places] = topk<2>(x); return 2 * values;
// expect: tuple
// first-error: an operand is a tuple: take it apart first
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto [values, places] = topk<2>(x);
        return 2 * values;
#else
        return 2 * topk<2>(x);
#endif
      },
      in<f32, 4, 8>);
}
