// wrote: const auto loader = data::loader<4>(set);
// write: auto loader = data::loader<4>(set);
// expect: Loader
// first-error: a loader remembers how far it has come
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i64> set({std::vector<f32>(80), {8}}, {std::vector<i64>(10), {}});
#ifdef WEFT_FIXED
  auto loader = data::loader<4>(set);
#else
  const auto loader = data::loader<4>(set);
#endif
  for (auto& [x, y] : loader) (void)x;
}
