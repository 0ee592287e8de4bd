// wrote: arange<u8, 0, 500, 200>()
// write: arange<i64, 0, 500, 200>()
// expect: GivenSize<400>
// first-error: as 300 is none of u8
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + arange<i64, 0, 500, 200>();
#else
        return x + arange<u8, 0, 500, 200>();
#endif
      },
      in<i64, 3>);
}
