// expect: the key_lengths of an attention are a vector of integers
// expect: Shape<4>
// first-error: the key_lengths of an attention are a vector of integers
#include "weft/exec/function.hpp"
#include "weft/ops/nn/flex_attention.hpp"
using namespace weft;

#ifdef WEFT_FIXED
constexpr i64 sequences = 2;
#else
constexpr i64 sequences = 4;  // one for each query
#endif

int main() {
  auto f = compile(
      Cpu{}, [](auto q, auto k, auto v, auto n) { return attention(q, k, v, key_lengths(n)); },
      in<f32, 2, 3, 4, 8>, in<f32, 2, 3, 6, 8>, in<f32, 2, 3, 6, 8>, in<i32, sequences>);
}
