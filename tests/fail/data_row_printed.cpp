// wrote: auto [x, y] = dataset[0]; std::cout << y
// write: std::cout << y[0]
// expect: Row<
// first-error: a field of a sample or batch is many elements
#include <iostream>

#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i64> dataset({std::vector<f32>(80), {8}}, {std::vector<i64>(10), {}});
  auto [x, y] = dataset[0];
#ifdef WEFT_FIXED
  std::cout << y[0];
#else
  std::cout << y;
#endif
}
