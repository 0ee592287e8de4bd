// wrote: return matmul(x, y);
// write: return matmul(transpose<0, 1>(x), y);
// expect: Shape<4, 8>
// expect: Shape<4>
// first-error: the extents of the contracted axes differ
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return matmul(transpose<0, 1>(x), y);
#else
        return matmul(x, y);
#endif
      },
      in<f32, 4, 8>, in<f32, 4>);
}
