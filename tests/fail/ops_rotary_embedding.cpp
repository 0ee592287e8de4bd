// expect: rotary_embedding: x is (..., L, D)
// expect: Shape<2, 6, 7>
// first-error: rotary_embedding: x is (..., L, D)
#include "weft/exec/function.hpp"
#include "weft/ops/nn/rotary_embedding.hpp"
using namespace weft;

#ifdef WEFT_FIXED
constexpr auto x = in<f32, 2, 6, 8>;
#else
constexpr auto x = in<f32, 2, 6, 7>;
#endif

int main() {
  auto f = compile(
      Cpu{}, [](auto v) { return rotary_embedding(v); }, x);
}
