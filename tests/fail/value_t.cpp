// wrote: return matmul(x, x.t());
// write: return matmul(x, transpose<0, 1>(x));
// expect: Shape<4, 8>
// first-error: an operation is a function, whose sizes and axes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return matmul(x, transpose<0, 1>(x));
#else
        return matmul(x, x.t());
#endif
      },
      in<f32, 4, 8>);
}
