// wrote: return std::max(x, x + 1);
// write: return maximum(x, x + 1);
// expect: Shape<4, 8>
// first-error: maximum(a, b) in place of std::max
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return maximum(x, x + 1);
#else
        return std::max(x, x + 1);
#endif
      },
      in<f32, 4, 8>);
}
