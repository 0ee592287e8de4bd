// wrote: x % 256   (x of u8)
// write: cast<i32>(x) % 256
// expect: Shape<4>
// first-error: a number beside a tensor of integers
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return cast<i32>(x) % 256;
#else
        return x % 256;
#endif
      },
      in<u8, 4>);
}
