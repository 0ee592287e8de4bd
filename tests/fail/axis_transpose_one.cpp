// wrote: transpose<1>(x)
// write: transpose<0, 1>(x)
// expect: GivenAxis<1>
// first-error: transpose exchanges two axes
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return transpose<0, 1>(x);
#else
        return transpose<1>(x);
#endif
      },
      in<f32, 4, 8>);
}
