// wrote: return jvp([](auto h) { return h * h; })(x).second;
// write: return jvp([](auto h) { return h * h; })(x, x).second;
// expect: Shape<4, 8>
// first-error: and a tangent for each follows
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return jvp([](auto h) { return h * h; })(x, x).second;
#else
        return jvp([](auto h) { return h * h; })(x).second;
#endif
      },
      in<f32, 4, 8>);
}
