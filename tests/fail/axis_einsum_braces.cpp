// wrote: einsum("ij,jk->ik", {x, w})
// write: einsum<"ij,jk->ik">(x, w)
// expect: spelled::einsum
// first-error: words are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto w) {
#ifdef WEFT_FIXED
        return einsum<"ij,jk->ik">(x, w);
#else
        return einsum("ij,jk->ik", {x, w});
#endif
      },
      in<f32, 4, 8>, in<f32, 8, 3>);
}
