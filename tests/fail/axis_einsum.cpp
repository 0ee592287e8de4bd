// wrote: return einsum("ij,ij->i", x, y);
// write: return einsum<"ij,ij->i">(x, y);
// expect: Shape<4, 8>
// first-error: words are template arguments: write mse_loss<reduction::sum>(x, y),
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return einsum<"ij,ij->i">(x, y);
#else
        return einsum("ij,ij->i", x, y);
#endif
      },
      in<f32, 4, 8>, in<f32, 4, 8>);
}
