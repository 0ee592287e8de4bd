// wrote: if (i >= j) return true; return false; in a mask of attention
// write: return i >= j;
// expect: in place of if
// first-error: no truth value
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto q, auto k, auto v) {
#ifdef WEFT_FIXED
        return attention(q, k, v, [](auto, auto, auto i, auto j) { return i >= j; });
#else
        return attention(q, k, v, [](auto, auto, auto i, auto j) {
          if (i >= j) return true;
          return false;
        });
#endif
      },
      in<f32, 2, 4, 6, 8>, in<f32, 2, 4, 6, 8>, in<f32, 2, 4, 6, 8>);
}
