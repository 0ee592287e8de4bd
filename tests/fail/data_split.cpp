// wrote: auto [train, held] = data::random_split(rows, 0.75, 0.25, 1);
// write: auto [train, held] = data::random_split(rows, {0.75, 0.25}, 1);
// expect: Arrays
// first-error: random_split: the fractions stand in braces
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i32> rows({std::vector<f32>(64), {4}}, {std::vector<i32>(16), {}});
#ifdef WEFT_FIXED
  auto [train, held] = data::random_split(rows, {0.75, 0.25}, 1);
#else
  auto [train, held] = data::random_split(rows, 0.75, 0.25, 1);
#endif
}
