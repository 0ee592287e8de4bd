// expect: more axes are indexed than the tensor has
// expect: Index
// expect: Shape<4, 8>
// first-error: more axes are indexed than the tensor has
#include "weft/exec/function.hpp"
#include "weft/ops/index/index.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return index(x, at<1>, newaxis, at<0>); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return index(x, at<1>, every, newaxis, at<0>); }, in<f32, 4, 8>);
#endif
  static_cast<void>(f);
}
