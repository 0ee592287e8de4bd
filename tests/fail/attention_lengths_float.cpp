// wrote: scaled_dot_product_attention(q, k, v, key_lengths(lengths)), lengths of f32
// write: in<i32, B> for the lengths
// expect: the key_lengths of an attention are a vector of integers
// first-error: the key_lengths of an attention are a vector of integers
#include "weft/exec/function.hpp"
#include "weft/ops/nn/attention.hpp"
using namespace weft;

#ifdef WEFT_FIXED
using Count = i32;
#else
using Count = f32;
#endif

int main() {
  auto f = compile(
      Cpu{},
      [](auto q, auto k, auto v, auto n) { return scaled_dot_product_attention(q, k, v, key_lengths(n)); },
      in<f32, 2, 3, 4, 8>, in<f32, 2, 3, 6, 8>, in<f32, 2, 3, 6, 8>, in<Count, 2>);
}
