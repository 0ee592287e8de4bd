// wrote: matmul(x, x.T)
// write: matmul(x, transpose<0, 1>(x))
// expect: an operation is a function
// first-error: transpose<0, 1>(x)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return matmul(x, transpose<0, 1>(x));
#else
        return matmul(x, x.T);
#endif
      },
      in<f32, 2, 8>);
  static_cast<void>(f);
}
