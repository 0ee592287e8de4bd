// wrote: for (auto& batch : loader) f(batch.x, batch.y);
// write: for (auto& [x, y] : loader) f(x, y);
// expect: Batch<4, float,
// first-error: a batch is taken apart into the fields
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i64> set({std::vector<f32>(80), {8}}, {std::vector<i64>(10), {}});
  auto f = compile(
      Cpu{}, [](auto x, auto y) { return x + unsqueeze<1>(cast<f32>(y)); }, in<f32, 4, 8>, in<i64, 4>);
#ifdef WEFT_FIXED
  for (auto& [x, y] : data::loader<4>(set)) f(x, y);
#else
  for (auto& batch : data::loader<4>(set)) f(batch.x, batch.y);
#endif
}
