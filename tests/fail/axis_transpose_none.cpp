// wrote: matmul(x, transpose(w))
// write: matmul(x, transpose<0, 1>(w))
// expect: axes and sizes are template arguments
// first-error: AxesAreTemplateArguments<
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto w) {
#ifdef WEFT_FIXED
        return matmul(x, transpose<0, 1>(w));
#else
        return matmul(x, transpose(w));
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
