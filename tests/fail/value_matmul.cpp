// wrote: return x.matmul(y);
// write: return matmul(x, y);
// expect: Shape<4, 8>
// first-error: an operation is a function, whose sizes and axes are template
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return matmul(x, y);
#else
        return x.matmul(y);
#endif
      },
      in<f32, 4, 8>, in<f32, 8, 3>);
}
