// wrote: return x.sum(1);
// write: return sum<1>(x);
// expect: Shape<4, 8>
// first-error: an operation is a function, whose sizes and axes are template
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return sum<1>(x);
#else
        return x.sum(1);
#endif
      },
      in<f32, 4, 8>);
}
