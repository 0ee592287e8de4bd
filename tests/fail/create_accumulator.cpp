// wrote: auto total = zeros<f32, 4, 8>(); total = total + x; return total;
// write: auto total = 0 * x; total = total + x; return total;
// expect: Shape<4, 8>
// first-error: start from one, auto total = 0 * x
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto total = 0 * x;
        total = total + x;
        return total;
#else
        auto total = zeros<f32, 4, 8>();
        total = total + x;
        return total;
#endif
      },
      in<f32, 4, 8>);
}
