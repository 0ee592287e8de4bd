// wrote: auto [a, b] = data::random_split(rows, {8, 2});
// write: auto [a, b] = data::random_split(rows, {8, 2}, 1);
// expect: Arrays<float
// first-error: a seed follows the fractions
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i64> rows({std::vector<f32>(80), {8}}, {std::vector<i64>(10), {}});
#ifdef WEFT_FIXED
  auto [a, b] = data::random_split(rows, {8, 2}, 1);
#else
  auto [a, b] = data::random_split(rows, {8, 2});
#endif
}
