// wrote: return expand<3, 8>(x);
// write: return expand<3, 8>(select<0, 0>(x));
// expect: Shape<4, 8>
// expect: Shape<3, 8>
// first-error: the shapes do not broadcast: two extents of the same axis must be
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return expand<3, 8>(select<0, 0>(x));
#else
        return expand<3, 8>(x);
#endif
      },
      in<f32, 4, 8>);
}
