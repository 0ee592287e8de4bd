// wrote: index_put(cast<i32>(x), 0.5f, at<0>)
// write: index_put(x, 0.5f, at<0>)
// expect: IndexPutOp<false
// first-error: the tensor is of integers and the number or value is floating
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
