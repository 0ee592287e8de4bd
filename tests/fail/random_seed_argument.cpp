// wrote: x + rand<f32, 4, 8>(seed{1})
// write: x + rand<f32, 4, 8>()
// expect: spelled::rand
// expect: manual_seed(7)
// first-error: takes no seed and no generator of its own
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x + rand<f32, 4, 8>();
#else
        return x + rand<f32, 4, 8>(seed{1});
#endif
      },
      in<f32, 4, 8>);
}
