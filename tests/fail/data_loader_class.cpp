// wrote: data::DataLoader loader(rows, 4);
// write: auto loader = data::loader<4>(rows);
// expect: data::Arrays
// first-error: the batch size is a template argument
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i32> rows({std::vector<f32>(80), {8}}, {std::vector<i32>(10), {}});
#ifdef WEFT_FIXED
  auto loader = data::loader<4>(rows);
#else
  data::DataLoader loader(rows, 4);
#endif
  for (auto& [x, y] : loader) (void)x;
}
