// wrote: attention(q, k, v, [](auto s, auto i, auto j) { ... })
// write: [](auto s, auto b, auto h, auto i, auto j) { ... }
// expect: attention: behind query, key and value come score(s, b, h, i, j)
// first-error: attention: behind query, key and value come score(s, b, h, i, j)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto q, auto slopes) {
#ifdef WEFT_FIXED
        return attention(q, q, q, [](auto s, auto, auto, auto i, auto j) { return s + j - i; }) +
               sum<>(slopes);
#else
        return attention(q, q, q, [](auto s, auto i, auto j) { return s + j - i; }) + sum<>(slopes);
#endif
      },
      in<f32, 2, 4, 6, 8>, in<f32, 4, 6>);
}
