// wrote: rotary_embedding(q, 500000)
// write: rotary_embedding<RotaryOptions{.base = 500000}>(q)
// expect: RotaryEmbeddingOp
// first-error: rotary_embedding(x, positions): the positions are a tensor of integers
#include "weft/exec/function.hpp"
#include "weft/ops/nn/rotary_embedding.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto q) {
#ifdef WEFT_FIXED
        return rotary_embedding<RotaryOptions{.base = 500000}>(q);
#else
        return rotary_embedding(q, 500000);
#endif
      },
      in<f32, 2, 8, 16>);
}
