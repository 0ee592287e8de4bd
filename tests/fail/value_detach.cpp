// wrote: return x.detach() * 2;
// write: return stop_gradient(x) * 2;
// expect: Shape<4, 8>
// first-error: a traced value has no .detach(): write stop_gradient(x)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return stop_gradient(x) * 2;
#else
        return x.detach() * 2;
#endif
      },
      in<f32, 4, 8>);
}
