// wrote: arange<u8, 0, 400, 200>()
// write: arange<i64, 0, 400, 200>()
// expect: GivenSize<200>
// first-error: as 300 is none of u8
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + arange<i64, 0, 400, 200>();
#else
        return x + arange<u8, 0, 400, 200>();
#endif
      },
      in<i64, 2>);
}
