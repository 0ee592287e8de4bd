// wrote: return exp(topk<2>(x));
// write: auto [top, places] = topk<2>(x); return exp(top);
// expect: Shape<4, 2>
// first-error: an operand is a tuple: take it apart first: auto [y, state] =
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto [top, places] = topk<2>(x);
        return exp(top);
#else
        return exp(topk<2>(x));
#endif
      },
      in<f32, 4, 8>);
}
