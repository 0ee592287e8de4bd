// wrote: f1_score<"macro">(logits, labels)
// write: f1_score<Average::macro>(logits, labels)
// expect: Shape<4, 8>
// first-error: the way to average is a template argument, a value of Average:
#include "weft/weft.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return f1_score<Average::macro>(x, y); }, in<f32, 4, 8>, in<i64, 4>);
#else
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return f1_score<"macro">(x, y); }, in<f32, 4, 8>, in<i64, 4>);
#endif
}
