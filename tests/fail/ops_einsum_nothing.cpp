// wrote: einsum<"ij->ji">()
// write: einsum<"ij->ji">(x)
// expect: EinsumOp
// first-error: a value for each group of letters
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return einsum<"ij->ji">(x);
#else
        return einsum<"ij->ji">();
#endif
      },
      in<f32, 4, 8>);
}
