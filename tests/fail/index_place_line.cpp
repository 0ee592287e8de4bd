// wrote: index(x, every, at<8>)
// write: index(x, every, at<7>)
// expect: Shape<4, 8>
// first-error: the place lies outside its axis
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return index(x, every, at<7>);
#else
        return index(x, every, at<8>);
#endif
      },
      in<f32, 4, 8>);
}
