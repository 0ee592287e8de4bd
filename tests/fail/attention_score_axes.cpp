// wrote: s + bias[h, i, j] of bias with two axes
// write: s + bias[i, j]
// expect: Shape<4, 6>
// first-error: has fewer axes than indices
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
        return attention(
            q, q, q, [](auto s, auto, auto h, auto i, auto j, auto t) { return s + t[(h, i, j)]; }, slopes);
#endif
      },
      in<f32, 2, 4, 6, 8>, in<f32, 4, 6>);
}
