// wrote: auto s = data::subset(rows, 0, 5);
// write: auto s = data::subset(rows, {0, 1, 2, 3, 4});
// expect: Arrays<float
// first-error: subset takes the indices of its samples
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i64> rows({std::vector<f32>(80), {8}}, {std::vector<i64>(10), {}});
#ifdef WEFT_FIXED
  auto s = data::subset(rows, {0, 1, 2, 3, 4});
#else
  auto s = data::subset(rows, 0, 5);
#endif
}
