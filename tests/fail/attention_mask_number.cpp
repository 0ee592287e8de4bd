// wrote: attention(q, k, v, [](auto b, auto h, auto i, auto j) { return i - j; })
// write: return i >= j; in the mask
// expect: attention: mask returns one bool
// first-error: attention: mask returns one bool
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto q, auto slopes) {
#ifdef WEFT_FIXED
        return attention(q, q, q, [](auto, auto, auto i, auto j) { return i >= j; }) + sum<>(slopes);
#else
        return attention(q, q, q, [](auto, auto, auto i, auto j) { return i - j; }) + sum<>(slopes);
#endif
      },
      in<f32, 2, 4, 6, 8>, in<f32, 4, 6>);
}
