// wrote: auto [q, k, v] = x.split(2, 1);
// write: auto [q, k, v] = split<2, 1>(x);
// expect: Shape<4, 6>
// first-error: an operation is a function
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto [q, k, v] = split<2, 1>(x);
        return q * k + v;
#else
        auto [q, k, v] = x.split(2, 1);
        return q * k + v;
#endif
      },
      in<f32, 4, 6>);
}
