// wrote: while_loop(condition, body, x)
// write: while_loop<100>(condition, body, x)
// expect: spelled::while_loop
// first-error: the transformation has another name
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return while_loop<100>([](auto h) { return sum(h) > 1; }, [](auto h) { return h / 2; }, x);
#else
        return while_loop([](auto h) { return sum(h) > 1; }, [](auto h) { return h / 2; }, x);
#endif
      },
      in<f32, 8>);
}
