// expect: the shape of the value does not broadcast
// expect: IndexPut
// expect: Shape<3, 8>
// first-error: index_put: the shape of the value does not broadcast to that of the places
#include "weft/exec/function.hpp"
#include "weft/ops/index/index.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto v) { return index_put(x, v, range<0, 3>); }, in<f32, 4, 8>, in<f32, 3, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x, auto v) { return index_put(x, v, range<0, 2>); }, in<f32, 4, 8>, in<f32, 3, 8>);
#endif
  static_cast<void>(f);
}
