// wrote: attention(q, k, v, score, bias) whose score returns s + bias[h], a row
// write: s + bias[h][j]: by all its axes
// expect: attention: score returns one number
// first-error: attention: score returns one number
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
            q, q, q, [](auto s, auto, auto h, auto, auto, auto t) { return s + t[h]; }, slopes);
#endif
      },
      in<f32, 2, 4, 6, 8>, in<f32, 4, 6>);
}
