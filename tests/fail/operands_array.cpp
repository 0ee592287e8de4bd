// wrote: constexpr float w[3] = {1, 2, 3}; return x * w;
// write: return x * y;
// expect: Shape<3>
// first-error: numbers in an array or a container are no value
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto y) {
#ifdef WEFT_FIXED
        return x * y;
#else
        constexpr float w[3] = {1, 2, 3};
        return x * w;
#endif
      },
      in<f32, 3>, in<f32, 3>);
}
