// wrote: return index_add<0>(x, i, y);
// write: return index_add<0>(x, i, slice<0, 0, 2>(y));
// expect: Shape<3, 8>
// first-error: take one slice of the updates for each index
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto i, auto y) {
#ifdef WEFT_FIXED
        return index_add<0>(x, i, slice<0, 0, 2>(y));
#else
        return index_add<0>(x, i, y);
#endif
      },
      in<f32, 4, 8>, in<i64, 2>, in<f32, 3, 8>);
}
