// wrote: auto [v, i] = kthvalue(x, 3, 1)
// write: auto [v, i] = kthvalue<3, 1>(x)
// expect: kthvalue<i64 K, int Axis = -1>(x)
// first-error: axes and sizes are template arguments
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto [v, i] = kthvalue<3, 1>(x);
        return v;
#else
        auto [v, i] = kthvalue(x, 3, 1);
        return v;
#endif
      },
      in<f32, 4, 8>);
}
