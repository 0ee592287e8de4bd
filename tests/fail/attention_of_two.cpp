// wrote: attn(x, y) of nn::MultiheadAttention
// write: attn(x, y, y)
// expect: MultiheadAttention<8, 2
// first-error: MultiheadAttention takes the query, the key and the value
#include "weft/weft.hpp"
using namespace weft;

struct Net {
  nn::MultiheadAttention<8, 2> attn;
  constexpr auto operator()(auto x) const {
#ifdef WEFT_FIXED
    return attn(x, x, x);
#else
    return attn(x, x);
#endif
  }
};

int main() {
  auto f = compile<Net>(Cpu{}, in<f32, 6, 2, 8>);
  (void)f;
}
