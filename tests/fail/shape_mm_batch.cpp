// wrote: return mm(x, y);
// write: return matmul(x, y);
// expect: Shape<2, 4, 8>
// first-error: wrong number of axes
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return matmul(x, y);
#else
        return mm(x, y);
#endif
      },
      in<f32, 2, 4, 8>, in<f32, 8, 3>);
}
