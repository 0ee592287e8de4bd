// wrote: cat<1>({x, y})
// write: cat<1>(x, y)
// expect: spelled::cat
// first-error: the tensors are arguments one by one
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return cat<1>(x, y);
#else
        return cat<1>({x, y});
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
