// wrote: auto h = std::exp(x); return x * h;
// write: return x * exp(x);
// expect: Shape<4, 8>
// first-error: a traced value is no number while the program compiles, and functions of std take none
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x * exp(x);
#else
        auto h = std::exp(x);
        return x * h;
#endif
      },
      in<f32, 4, 8>);
}
