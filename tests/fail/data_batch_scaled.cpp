// wrote: for (auto& batch : loader) batch * 2
// write: for (auto& [x, y] : loader) x[0] * 2
// expect: Batch<5
// first-error: a batch is taken apart into the fields of a sample:
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i64> dataset({std::vector<f32>(80), {8}}, {std::vector<i64>(10), {}});
  auto loader = data::loader<5>(dataset);
#ifdef WEFT_FIXED
  for (auto& [x, y] : loader) auto z = x[0] * 2;
#else
  for (auto& batch : loader) auto z = batch * 2;
#endif
}
