// wrote: auto loader = data::loader<4>(rows, {.shuffle = true, .drop_last = true});
// write: auto loader = data::loader<4>(rows, {.shuffle = true, .last = data::drop});
// expect: Arrays
// first-error: the last batch's way .last = data::drop or
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i32> rows({std::vector<f32>(64), {4}}, {std::vector<i32>(16), {}});
#ifdef WEFT_FIXED
  auto loader = data::loader<4>(rows, {.shuffle = true, .last = data::drop});
#else
  auto loader = data::loader<4>(rows, {.shuffle = true, .drop_last = true});
#endif
}
