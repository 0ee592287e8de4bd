// wrote: matmul(x, 2)
// write: x * 2
// expect: Shape<4, 8>
// first-error: does not take so many operands, or not of these kinds
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x * 2;
#else
        return matmul(x, 2);
#endif
      },
      in<f32, 4, 8>);
}
