// wrote: f.manual_seed(7);
// write: f.set_seed(7);
// expect: manual_seed
// first-error: is set by f.set_seed(7)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return dropout(x, 0.5f); }, in<f32, 8>);
#ifdef WEFT_FIXED
  f.set_seed(7);
#else
  f.manual_seed(7);
#endif
}
