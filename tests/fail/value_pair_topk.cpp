// wrote: auto [values, places] = x.topk(3, 1);
// write: auto [values, places] = topk<3>(x);
// expect: Shape<4, 8>
// first-error: an operation is a function
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto [values, places] = topk<3>(x);
        return std::tuple{values, places};
#else
        auto [values, places] = x.topk(3, 1);
        return std::tuple{values, places};
#endif
      },
      in<f32, 4, 8>);
}
