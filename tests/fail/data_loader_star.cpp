// wrote: for (auto& batch : *loader)
// write: for (auto& batch : loader)
// expect: Arrays
// first-error: a loader is walked
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i32> rows({std::vector<f32>(64), {4}}, {std::vector<i32>(16), {}});
  auto loader = data::loader<4>(rows);
#ifdef WEFT_FIXED
  for (auto& batch : loader) batch.valid();
#else
  for (auto& batch : *loader) batch.valid();
#endif
}
