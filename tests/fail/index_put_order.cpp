// wrote: index_put(x, rows, 0.0f)
// write: index_put(x, 0.0f, rows)
// expect: Shape<2>
// first-error: index_put: the shape of the value
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x, auto rows) {
#ifdef WEFT_FIXED
        return index_put(x, 0.0f, rows);
#else
        return index_put(x, rows, 0.0f);
#endif
      },
      in<f32, 4, 3>, in<i64, 2>);
}
