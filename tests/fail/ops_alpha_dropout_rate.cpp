// wrote: nn::functional::feature_alpha_dropout(x, -2)
// write: nn::functional::feature_alpha_dropout(x, 0.2f)
// expect: FunctionSource
// first-error: the rate of a dropout is the share
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return nn::functional::feature_alpha_dropout(x, 0.2f);
#else
        return nn::functional::feature_alpha_dropout(x, -2);
#endif
      },
      in<f32, 4, 8>);
}
