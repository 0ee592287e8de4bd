// wrote: scatter_add<0>(nodes, i, rows)
// write: index_add<0>(nodes, i, rows)
// expect: Shape<12>
// first-error: index_add<0>(x, i, rows)
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto nodes, auto i, auto rows) {
#ifdef WEFT_FIXED
        return index_add<0>(nodes, i, rows);
#else
        return scatter_add<0>(nodes, i, rows);
#endif
      },
      in<f32, 5, 8>, in<i64, 12>, in<f32, 12, 8>);
}
