// wrote: probe(x)
// write: probe<"hidden">(x)
// expect: Shape<4, 8>
// first-error: a probe's name is a template argument
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return probe<"hidden">(x);
#else
        return probe(x);
#endif
      },
      in<f32, 4, 8>);
}
