// wrote: auto& [x, y] = loader.next()
// write: for (auto& [x, y] : loader)
// expect: Loader
// first-error: a loader is walked
#include "weft/data/dataset.hpp"
#include "weft/data/loader.hpp"
using namespace weft;

int main() {
  const std::vector<f32> x(32);
  const std::vector<i64> y(8);
  data::Arrays<f32, i64> rows({x, {4}}, {y, {}});
  auto loader = data::loader<4>(rows, {});
#ifdef WEFT_FIXED
  for (auto& [a, b] : loader) (void)a, (void)b;
#else
  auto& [a, b] = loader.next();
  (void)a, (void)b;
#endif
}
