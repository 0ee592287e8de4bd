// wrote: auto& [x, y] = loader[0];
// write: for (auto& [x, y] : loader) ...
// expect: Loader
// first-error: a loader is walked
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i64> set({std::vector<f32>(80), {8}}, {std::vector<i64>(10), {}});
  auto loader = data::loader<4>(set);
#ifdef WEFT_FIXED
  for (auto& [x, y] : loader) (void)x;
#else
  auto& [x, y] = loader[0];
#endif
}
