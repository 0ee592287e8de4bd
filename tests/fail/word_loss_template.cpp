// wrote: mse_loss<"sum">(x, w)
// write: mse_loss<reduction::sum>(x, w)
// expect: words are template arguments
// first-error: WordIsTemplateArgument<
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto w) {
#ifdef WEFT_FIXED
        return mse_loss<reduction::sum>(x, w);
#else
        return mse_loss<"sum">(x, w);
#endif
      },
      in<f32, 2, 3>, in<f32, 2, 3>);
}
