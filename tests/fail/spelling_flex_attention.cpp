// wrote: flex_attention(q, k, v)
// write: attention(q, k, v)
// expect: spelled::flex_attention
// first-error: the operation has another name
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto q, auto k, auto v) {
#ifdef WEFT_FIXED
        return attention(q, k, v);
#else
        return flex_attention(q, k, v);
#endif
      },
      in<f32, 2, 4, 6, 8>, in<f32, 2, 4, 6, 8>, in<f32, 2, 4, 6, 8>);
}
