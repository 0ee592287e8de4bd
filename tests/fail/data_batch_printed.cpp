// wrote: for (auto& batch : loader) std::cout << batch;
// write: for (auto& [x, y] : loader) std::cout << x.data()[0];
// expect: Batch<4, float,
// first-error: a batch is taken apart into the fields
#include <iostream>

#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i64> set({std::vector<f32>(80), {8}}, {std::vector<i64>(10), {}});
#ifdef WEFT_FIXED
  for (auto& [x, y] : data::loader<4>(set)) std::cout << x.data()[0];
#else
  for (auto& batch : data::loader<4>(set)) std::cout << batch << "\n";
#endif
}
