// expect: an ellipsis may stand once
// expect: Index
// expect: Shape<4, 8>
// first-error: an ellipsis may stand once
#include "weft/exec/function.hpp"
#include "weft/ops/index/index.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return index(x, ellipsis, at<0>); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return index(x, ellipsis, at<0>, ellipsis); }, in<f32, 4, 8>);
#endif
  static_cast<void>(f);
}
