// wrote: index(x, randperm(4))
// write: index(x, randperm<i64, 4>())
// expect: spelled::randperm
// first-error: dtype and shape are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return index(x, randperm<i64, 4>());
#else
        return index(x, randperm(4));
#endif
      },
      in<f32, 4, 8>);
}
