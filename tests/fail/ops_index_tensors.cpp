// expect: the index tensors must be integers whose shapes broadcast
// expect: Index
// expect: Shape<4, 8>
// first-error: the index tensors must be integers whose shapes broadcast
#include "weft/exec/function.hpp"
#include "weft/ops/index/index.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto i, auto j) { return index(x, i, slice<0, 0, 2>(j)); }, in<f32, 4, 8>, in<i64, 2>,
      in<i64, 3>);
#else
  auto f = compile(
      Cpu{}, [](auto x, auto i, auto j) { return index(x, i, j); }, in<f32, 4, 8>, in<i64, 2>, in<i64, 3>);
#endif
  static_cast<void>(f);
}
