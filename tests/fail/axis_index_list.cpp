// wrote: return index_select<1>(x, {0, 1});
// write: return index_select<1>(x, arange<i64, 2>());
// expect: index_select
// first-error: an index is a tensor of integers
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return index_select<1>(x, arange<i64, 2>());
#else
        return index_select<1>(x, {0, 1});
#endif
      },
      in<f32, 4, 8>);
}
