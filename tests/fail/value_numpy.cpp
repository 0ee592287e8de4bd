// wrote: auto n = x.numpy(); return x;
// write: return x;
// expect: Shape<4, 8>
// first-error: a traced value has no elements while the program compiles: return it,
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x;
#else
        auto n = x.numpy();
        return x;
#endif
      },
      in<f32, 4, 8>);
}
