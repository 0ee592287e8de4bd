// wrote: varlen_attention(q, k, v)
// write: varlen_attention(q, k, v, cu_seqlens)
// expect: behind query, key and value come the offsets of the sequences
// first-error: behind query, key and value come the offsets of the sequences
#include "weft/exec/function.hpp"
#include "weft/ops/nn/varlen_attention.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto q, [[maybe_unused]] auto offsets) {
#ifdef WEFT_FIXED
        return varlen_attention(q, q, q, offsets);
#else
        return varlen_attention(q, q, q);
#endif
      },
      in<f32, 12, 3, 8>, in<i32, 4>);
}
