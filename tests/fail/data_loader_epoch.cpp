// wrote: loader.set_epoch(3)
// write: loader.seek({3, 0}), or nothing
// expect: Loader<5
// first-error: each loop over a loader is the next epoch
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i64> dataset({std::vector<f32>(80), {8}}, {std::vector<i64>(10), {}});
  auto loader = data::loader<5>(dataset);
#ifdef WEFT_FIXED
  loader.seek({3, 0});
#else
  loader.set_epoch(3);
#endif
}
