// wrote: index(x, {0, 2})
// write: index(x, i), where i is an input in<i64, 2>
// expect: an index is a tensor of integers
// first-error: an index is a tensor of integers
#include "weft/exec/function.hpp"
#include "weft/ops.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto i) { return index(x, i); }, in<f32, 4, 5>, in<i64, 2>);
#else
  auto f = compile(
      Cpu{},
      [](auto x, auto) {
        return index(x, {0, 2});
      },
      in<f32, 4, 5>, in<i64, 2>);
#endif
}
