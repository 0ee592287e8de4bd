// wrote: auto [q, k, v] = unbind(x, 0);
// write: auto [q, k, v] = unbind<0>(x);
// expect: Shape<3, 8>
// first-error: axes and sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto [q, k, v] = unbind<0>(x);
        return q * k + v;
#else
        auto [q, k, v] = unbind(x, 0);
        return q * k + v;
#endif
      },
      in<f32, 3, 8>);
}
