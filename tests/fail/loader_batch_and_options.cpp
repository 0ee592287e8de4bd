// wrote: data::loader(dataset, 16, {.shuffle = true})
// write: data::loader<16>(dataset, {.shuffle = true})
// expect: Arrays<float, int>
// first-error: the batch size is a template argument,
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i32> set({std::vector<f32>(80), {8}}, {std::vector<i32>(10), {}});
#ifdef WEFT_FIXED
  auto batches = data::loader<5>(set, {.shuffle = true});
#else
  auto batches = data::loader(set, 5, {.shuffle = true});
#endif
  for (auto& [x, y] : batches)
    if (x[0] > 0) return 1;
}
