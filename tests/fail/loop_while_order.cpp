// wrote: while_loop<100>(body, condition, x)
// write: while_loop<100>(condition, body, x)
// expect: Shape<8>
// first-error: while_loop: the condition returns one bool
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return while_loop<100>([](auto h) { return sum(h) > 1; }, [](auto h) { return h / 2; }, x);
#else
        return while_loop<100>([](auto h) { return h / 2; }, [](auto h) { return sum(h) > 1; }, x);
#endif
      },
      in<f32, 8>);
}
