// wrote: return x & 1;
// write: return cast<i32>(x) & 1;
// expect: int
// first-error: the operation is not defined for this dtype
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return cast<i32>(x) & 1;
#else
        return x & 1;
#endif
      },
      in<f32, 4, 8>);
}
