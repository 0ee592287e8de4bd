// wrote: return sum<0>(x) / x.size(0);
// write: return sum<0>(x) / x.extent(0);
// expect: Shape<4, 8>
// first-error: size() counts all elements: the extent of an axis is x.extent(0)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return sum<0>(x) / x.extent(0) * x.size();
#else
        return sum<0>(x) / x.size(0) * x.size();
#endif
      },
      in<f32, 4, 8>);
}
