// wrote: [slopes](auto s, auto b, auto h, auto i, auto j) { return s + slopes[h]; }
// write: attention(q, k, v, score, slopes), whose score takes slopes last
// expect: a score or mask of attention reads so what stands behind it
// first-error: x[i] of a traced i is index(x, i); a score or mask of attention
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto q, auto slopes) {
#ifdef WEFT_FIXED
        return attention(
            q, q, q, [](auto s, auto, auto h, auto, auto j, auto t) { return s + t[h][j]; }, slopes);
#else
        return attention(q, q, q, [slopes](auto s, auto, auto h, auto, auto) { return s + slopes[h]; });
#endif
      },
      in<f32, 2, 4, 6, 8>, in<f32, 4, 6>);
}
