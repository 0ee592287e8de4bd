// expect: the class weights must be a vector with one number for each class
// expect: Shape<4>
// first-error: the class weights must be a vector
#include "weft/exec/function.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  constexpr auto weights = in<f32, 10>;
#else
  constexpr auto weights = in<f32, 4>;
#endif
  auto f = compile(
      Cpu{}, [](auto x, auto y, auto w) { return cross_entropy(x, y, w); }, in<f32, 4, 10>, in<i64, 4>,
      weights);
}
