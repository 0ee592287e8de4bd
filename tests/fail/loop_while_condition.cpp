// wrote: while_loop<9>([](auto c) { return c > 0; }, body, x) of x (8)
// write: while_loop<9>([](auto c) { return any<>(c > 0); }, body, x)
// expect: Shape<8>
// first-error: while_loop: the condition returns one bool, Shape<>: reduce it with all<>() or any<>()
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return while_loop<9>([](auto c) { return any<>(c > 0); }, [](auto c) { return c - 1; }, x);
#else
        return while_loop<9>([](auto c) { return c > 0; }, [](auto c) { return c - 1; }, x);
#endif
      },
      in<f32, 8>);
}
