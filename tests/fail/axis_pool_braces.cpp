// wrote: sum<>(w) * max_pool2d(x, {2, 2})
// write: sum<>(w) * max_pool2d<2>(x)
// expect: windows and settings are template arguments
// first-error: SettingsAreTemplateArguments<
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto w) {
#ifdef WEFT_FIXED
        return sum<>(w) * max_pool2d<2>(x);
#else
        return sum<>(w) * max_pool2d(x, {2, 2});
#endif
      },
      in<f32, 2, 3, 8, 8>, in<f32, 6>);
}
