// wrote: scaled_dot_product_attention(q, k, v, 10.0f)
// write: scaled_dot_product_attention(q, k, v, 0.1f)
// expect: FunctionSource
// first-error: the rate of a dropout is the share
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto q, auto k, auto v) {
#ifdef WEFT_FIXED
        return scaled_dot_product_attention(q, k, v, 0.1f);
#else
        return scaled_dot_product_attention(q, k, v, 10.0f);
#endif
      },
      in<f32, 2, 4, 8>, in<f32, 2, 4, 8>, in<f32, 2, 4, 8>);
}
