// wrote: return cross_entropy<1>(x, y);
// write: return cross_entropy<reduction::mean, 1>(x, y);
// expect: Shape<2, 3, 8, 8>
// first-error: the reduction is the first template argument
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return cross_entropy<reduction::mean, 1>(x, y);
#else
        return cross_entropy<1>(x, y);
#endif
      },
      in<f32, 2, 3, 8, 8>, in<i64, 2, 8, 8>);
}
