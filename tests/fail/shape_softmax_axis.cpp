// wrote: return softmax<2>(x);
// write: return softmax<-1>(x);
// expect: Shape<4, 8>
// first-error: the axis does not exist: it must lie in [-rank, rank)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return softmax<-1>(x);
#else
        return softmax<2>(x);
#endif
      },
      in<f32, 4, 8>);
}
