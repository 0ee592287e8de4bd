// wrote: index(h, at<0>) += 1.0f;
// write: h = index_put(h, index(h, at<0>) + 1, at<0>);
// expect: Shape<8>
// first-error: what an operation gives is a new value
#include "weft/weft.hpp"
using namespace weft;

int main() {
  auto f = compile(
      Cpu{},
      [](auto x) {
#ifdef WEFT_FIXED
        auto h = x;
        h = index_put(h, index(h, at<0>) + 1, at<0>);
        return h;
#else
        auto h = x;
        index(h, at<0>) += 1.0f;
        return h;
#endif
      },
      in<f32, 4, 8>);
}
