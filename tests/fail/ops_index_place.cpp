// expect: the place lies outside its axis
// expect: Index
// expect: Shape<4, 8>
// first-error: the place lies outside its axis
#include "weft/exec/function.hpp"
#include "weft/ops/index/index.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return index(x, at<-4>); }, in<f32, 4, 8>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return index(x, at<4>); }, in<f32, 4, 8>);
#endif
  static_cast<void>(f);
}
