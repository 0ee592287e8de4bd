// wrote: pad<1, 1>(cast<i64>(x), 0.5f)
// write: pad<1, 1>(x, 0.5f)
// expect: Shape<4>
// first-error: 0.5 none of i32
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return pad<1, 1>(x, 0.5f);
#else
        return pad<1, 1>(cast<i64>(x), 0.5f);
#endif
      },
      in<f32, 4>);
}
