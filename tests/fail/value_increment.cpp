// wrote: auto h = x; ++h; return h;
// write: auto h = x; h = h + 1; return h;
// expect: Shape<4, 8>
// first-error: a traced value is not changed in place
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto h = x;
        h = h + 1;
        return h;
#else
        auto h = x;
        ++h;
        return h;
#endif
      },
      in<f32, 4, 8>);
}
