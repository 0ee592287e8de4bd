// wrote: x.sum({0, 1})
// write: sum<0, 1>(x)
// expect: Shape<4, 8>
// first-error: an operation is a function
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return sum<0, 1>(x);
#else
        return x.sum({0, 1});
#endif
      },
      in<f32, 4, 8>);
}
