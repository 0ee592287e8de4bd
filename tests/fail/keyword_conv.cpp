// wrote: conv2d(x, w, {.padding = 1})
// write: conv2d<ConvOptions{.padding = 1}>(x, w)
// expect: windows and settings are template arguments
// first-error: SettingsAreTemplateArguments<
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto w) {
#ifdef WEFT_FIXED
        return conv2d<ConvOptions{.padding = 1}>(x, w);
#else
        return conv2d(x, w, {.padding = 1});
#endif
      },
      in<f32, 2, 3, 8, 8>, in<f32, 6, 3, 3, 3>);
}
