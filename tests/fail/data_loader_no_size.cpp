// wrote: data::loader(dataset, {.batch_size = 4})
// write: data::loader<4>(dataset)
// expect: the batch size is a template argument
// first-error: LoaderOptionsAre<
#include "weft/weft.hpp"
using namespace weft;

void train(const data::Arrays<f32, i64>& dataset) {
#ifdef WEFT_FIXED
  for (auto& [x, y] : data::loader<4>(dataset)) (void)x;
#else
  for (auto& [x, y] : data::loader(dataset, {.batch_size = 4})) (void)x;
#endif
}
