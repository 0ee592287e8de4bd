// wrote: jvp(f)(std::tuple{x}, std::tuple{x})
// write: jvp(f)(x, x)
// expect: Jvp
// first-error: vjp and jvp take arguments one by one
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return jvp([](auto h) { return h * h; })(x, x).second;
#else
        return jvp([](auto h) { return h * h; })(std::tuple{x}, std::tuple{x}).second;
#endif
      },
      in<f32, 8>);
}
