// wrote: return x + randn({4, 8});
// write: return x + randn<f32, 4, 8>();
// expect: randn
// first-error: dtype and shape are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + randn<f32, 4, 8>();
#else
        return x + randn({4, 8});
#endif
      },
      in<f32, 4, 8>);
}
