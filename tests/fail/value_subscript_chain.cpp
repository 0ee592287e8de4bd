// wrote: return x[0][1];
// write: return select<0, 1>(select<0, 0>(x));
// expect: Shape<4, 8>
// first-error: a traced value has no subscripts: read x[0] as select<0, 0>(x),
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return select<0, 1>(select<0, 0>(x));
#else
        return x[0][1];
#endif
      },
      in<f32, 4, 8>);
}
