// wrote: for (auto& [x, y] : data::loader<5>("mnist"))
// write: for (auto& [x, y] : data::loader<5>(set)), of a data::Arrays<f32, i32>
// expect: GivenSize<5>
// first-error: the batch size is a template argument, the dataset the first argument
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i32> set({std::vector<f32>(80), {8}}, {std::vector<i32>(10), {}});
#ifdef WEFT_FIXED
  for (auto& [x, y] : data::loader<5>(set))
#else
  for (auto& [x, y] : data::loader<5>("mnist"))
#endif
    return x[0] > 0 && y[0] > 0;
}
