// wrote: pad<"reflect", 1, 1>(x)
// write: pad<PaddingMode::reflect, 1, 1>(x)
// expect: words are template arguments
// first-error: words are template arguments
#include "weft/exec/function.hpp"
#include "weft/ops.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return pad<PaddingMode::reflect, 1, 1>(x); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return pad<"reflect", 1, 1>(x); }, in<f32, 4, 8>);
#endif
}
