// wrote: for (auto& [x, y] : dataset)
// write: for (auto& [x, y] : data::loader<5>(dataset))
// expect: Arrays<float, int>
// first-error: a dataset is no range:
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i32> set({std::vector<f32>(80), {8}}, {std::vector<i32>(10), {}});
#ifdef WEFT_FIXED
  for (auto& [x, y] : data::loader<5>(set))
#else
  for (auto& [x, y] : set)
#endif
    return x[0] > 0;
}
