// wrote: softmax(x, {.dim = 1})
// write: softmax<1>(x)
// expect: there are no keyword arguments in braces
// first-error: KeywordsAreArguments<
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return softmax<1>(x);
#else
        return softmax(x, {.dim = 1});
#endif
      },
      in<f32, 4, 8>);
}
