// wrote: gather(x, argsort<-1>(x))
// write: gather<1>(x, argsort<-1>(x))
// expect: gather
// first-error: axes and sizes are template arguments, known while compiling
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return gather<1>(x, argsort<-1>(x));
#else
        return gather(x, argsort<-1>(x));
#endif
      },
      in<f32, 4, 8>);
}
