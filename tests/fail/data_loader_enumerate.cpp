// wrote: for (auto& [i, batch] : enumerate(loader)) ...
// write: i64 i = 0; for (auto& [x, y] : loader) { ...; ++i; }
// expect: Loader
// first-error: a loader is walked
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i64> set({std::vector<f32>(80), {8}}, {std::vector<i64>(10), {}});
  auto loader = data::loader<4>(set);
  i64 last = 0;
#ifdef WEFT_FIXED
  for (auto& [x, y] : loader) last += x.data()[0] > 0;
#else
  for (auto& [i, batch] : enumerate(loader)) last = i;
#endif
  return static_cast<int>(last);
}
