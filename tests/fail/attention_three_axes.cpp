// wrote: attention(q, k, v, mask), q of (H, L, E)
// write: attention(unsqueeze<0>(q), unsqueeze<0>(k), unsqueeze<0>(v), mask)
// expect: attention: query (B, Hq, L, E), key (B, H, S, E) and value (B, H, S, Ev)
// first-error: attention: query (B, Hq, L, E), key (B, H, S, E) and value (B, H, S, Ev)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto q, auto slopes) {
#ifdef WEFT_FIXED
        return attention(unsqueeze<0>(q), unsqueeze<0>(q), unsqueeze<0>(q),
                         [](auto, auto, auto i, auto j) { return j <= i; }) +
               sum<>(slopes);
#else
        return attention(q, q, q, [](auto, auto, auto i, auto j) { return j <= i; }) + sum<>(slopes);
#endif
      },
      in<f32, 4, 6, 8>, in<f32, 4, 6>);
}
