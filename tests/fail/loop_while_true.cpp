// wrote: while_loop<10>([](auto c) { return true; }, body, x)
// write: while_loop<10>([](auto c) { return any<>(c < 10); }, body, x)
// expect: loop<10>(body, carry)
// first-error: the condition returns a plain bool
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return while_loop<10>([](auto c) { return any<>(c < 10); }, [](auto c) { return c * 2; }, x);
#else
        return while_loop<10>([](auto) { return true; }, [](auto c) { return c * 2; }, x);
#endif
      },
      in<f32, 4, 8>);
}
