// wrote: index_put(cast<i32>(x), 0.5f, at<0>)
// write: index_put(x, 0.5f, at<0>)
// expect: Shape<4>
// first-error: 0.5 none of i32
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        return index_put(x, 0.5f, at<0>);
#else
        return index_put(cast<i32>(x), 0.5f, at<0>);
#endif
      },
      in<f32, 4>);
}
