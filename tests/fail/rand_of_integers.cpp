// wrote: rand<i32, 4, 8>(), normal<i64, 4>(), rand_like(n) of integers
// write: randint<i32, 4, 8>(0, 2)
// expect: rand
// first-error: rand, randn, normal, exponential and their like give floating-point numbers
#include "weft/exec/immediate.hpp"
#include "weft/ops/random/random.hpp"
using namespace weft;

int main() {
#ifdef WEFT_FIXED
  Tensor<i32, Shape<4, 8>> t = randint<i32, 4, 8>(0, 2);
#else
  Tensor<i32, Shape<4, 8>> t = rand<i32, 4, 8>();
#endif
}
