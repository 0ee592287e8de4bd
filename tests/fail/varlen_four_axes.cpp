// wrote: varlen_attention(q, k, v, cu_seqlens), q of (B, H, L, E)
// write: q of (T, H, E): the tokens of all sequences one behind the other
// expect: have three axes, the tokens of all sequences one behind the other
// first-error: have three axes, the tokens of all sequences one behind the other
#include "weft/exec/function.hpp"
#include "weft/ops/nn/varlen_attention.hpp"
using namespace weft;

#ifdef WEFT_FIXED
constexpr auto x = in<f32, 12, 3, 8>;
#else
constexpr auto x = in<f32, 2, 3, 6, 8>;
#endif

int main() {
  auto f = compile(
      Cpu{}, [](auto q, auto offsets) { return varlen_attention(q, q, q, offsets); }, x, in<i32, 4>);
}
