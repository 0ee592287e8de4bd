// wrote: varlen_attention(q, k, v, cu_seqlens), more tokens of k than of q
// write: varlen_attention(q, k, v, cu_seqlens_q, cu_seqlens_k)
// expect: behind query, key and value come the offsets of the sequences
// first-error: behind query, key and value come the offsets of the sequences
#include "weft/exec/function.hpp"
#include "weft/ops/nn/varlen_attention.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto q, auto k, auto of_q, [[maybe_unused]] auto of_k) {
#ifdef WEFT_FIXED
        return varlen_attention(q, k, k, of_q, of_k);
#else
        return varlen_attention(q, k, k, of_q);
#endif
      },
      in<f32, 12, 3, 8>, in<f32, 20, 3, 8>, in<i32, 4>, in<i32, 4>);
}
