// wrote: auto n = x.dim(); return x * n;
// write: return x * decltype(x)::rank;
// expect: Shape<4, 8>
// first-error: a traced value has no .dim(), .numel() or .ndim: its type says them:
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return x * decltype(x)::rank;
#else
        auto n = x.dim();
        return x * n;
#endif
      },
      in<f32, 4, 8>);
}
