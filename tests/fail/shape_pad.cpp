// wrote: return pad<1, 1, 1, 1, 1, 1>(x);
// write: return pad<1, 1, 1, 1>(x);
// expect: Shape<4, 8>
// first-error: pad takes a low and a high width for each axis from the last, and may
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return pad<1, 1, 1, 1>(x);
#else
        return pad<1, 1, 1, 1, 1, 1>(x);
#endif
      },
      in<f32, 4, 8>);
}
