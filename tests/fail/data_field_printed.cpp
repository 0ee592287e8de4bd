// wrote: for (auto& [x, y] : loader) std::cout << x
// write: std::cout << x[0]
// expect: Array<
// first-error: a field of a sample or batch is many elements
#include <iostream>

#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i64> dataset({std::vector<f32>(80), {8}}, {std::vector<i64>(10), {}});
  auto loader = data::loader<5>(dataset);
#ifdef WEFT_FIXED
  for (auto& [x, y] : loader) std::cout << x[0];
#else
  for (auto& [x, y] : loader) std::cout << x;
#endif
}
