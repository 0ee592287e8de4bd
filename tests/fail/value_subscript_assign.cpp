// wrote: x[0] = 1.0f; return x;
// write: return select_scatter<0, 0>(x, ones<f32, 8>());
// expect: Shape<4, 8>
// first-error: a traced value has no subscripts: read x[0] as select<0, 0>(x),
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return select_scatter<0, 0>(x, ones<f32, 8>());
#else
        x[0] = 1.0f;
        return x;
#endif
      },
      in<f32, 4, 8>);
}
