// wrote: data::loader<0>(dataset)
// write: data::loader<32>(dataset)
// expect: GivenSize<0>
// first-error: a batch holds one sample or more
#include "weft/weft.hpp"
using namespace weft;

void train(const data::Arrays<f32, i64>& dataset) {
#ifdef WEFT_FIXED
  for (auto& [x, y] : data::loader<32>(dataset, {.shuffle = true})) (void)x;
#else
  for (auto& [x, y] : data::loader<0>(dataset, {.shuffle = true})) (void)x;
#endif
}
