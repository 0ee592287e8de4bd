// wrote: reshape<-1, -1>(x)
// write: reshape<2, -1>(x)
// expect: Shape<4, 8>
// first-error: only one extent of a reshape may be -1
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return reshape<2, -1>(x);
#else
        return reshape<-1, -1>(x);
#endif
      },
      in<f32, 4, 8>);
}
