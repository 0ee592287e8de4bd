// wrote: auto loader = data::loader(rows, 4, true);
// write: auto loader = data::loader<4>(rows, {.shuffle = true});
// expect: Arrays
// first-error: the batch size is a template argument
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i32> rows({std::vector<f32>(64), {4}}, {std::vector<i32>(16), {}});
#ifdef WEFT_FIXED
  auto loader = data::loader<4>(rows, {.shuffle = true});
#else
  auto loader = data::loader(rows, 4, true);
#endif
  auto batches = loader.batches();
  for (auto& [x, y] : loader) auto first = x[0];
}
