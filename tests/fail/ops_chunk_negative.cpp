// wrote: tensor_split<-2>(x)
// write: tensor_split<2>(x)
// expect: GivenSize<-2>
// first-error: cut an axis into one piece or more
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto [a, b] = tensor_split<2>(x);
#else
        auto [a, b] = tensor_split<-2>(x);
#endif
        return a + b;
      },
      in<f32, 4, 8>);
}
