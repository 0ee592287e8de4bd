// expect: behind query, key and value come the offsets of the sequences
// first-error: behind query, key and value come the offsets of the sequences
#include "weft/exec/function.hpp"
#include "weft/ops/nn/varlen_attention.hpp"
using namespace weft;

#ifdef WEFT_FIXED
using Offset = i64;
#else
using Offset = f32;
#endif

int main() {
  auto f = compile(
      Cpu{}, [](auto q, auto offsets) { return varlen_attention(q, q, q, offsets); }, in<f32, 12, 3, 8>,
      in<Offset, 4>);
}
