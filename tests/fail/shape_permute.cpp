// wrote: return permute<0, 2, 1>(x);
// write: return permute<1, 0>(x);
// expect: Shape<4, 8>
// first-error: the axes named are no permutation of the shape's axes
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return permute<1, 0>(x);
#else
        return permute<0, 2, 1>(x);
#endif
      },
      in<f32, 4, 8>);
}
