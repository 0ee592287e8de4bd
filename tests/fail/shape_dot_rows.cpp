// wrote: return dot(x, y);
// write: return matmul(x, t(y));
// expect: Shape<4, 8>
// first-error: wrong number of axes
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return matmul(x, t(y));
#else
        return dot(x, y);
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
