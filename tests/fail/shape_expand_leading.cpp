// wrote: expand<-1, 4, 6>(x)
// write: expand<2, -1, -1>(x)
// expect: Shape<4, 6>
// first-error: expand: -1 keeps the extent of an axis that the value has
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x) { return expand<2, -1, -1>(x); }, in<f32, 4, 6>);
#else
  auto f = compile(
      Cpu{}, [](auto x) { return expand<-1, 4, 6>(x); }, in<f32, 4, 6>);
#endif
}
