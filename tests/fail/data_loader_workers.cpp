// wrote: auto loader = data::loader<2>(set, true, 4);
// write: auto loader = data::loader<2>(set, {.shuffle = true});
// expect: Arrays<float, long
// first-error: the batch size is a template argument, the dataset the first argument and the options the
// second
#include "weft/weft.hpp"
using namespace weft;

int main() {
  data::Arrays<f32, i64> set({std::vector<f32>(32), {8}}, {std::vector<i64>(4), {}});
#ifdef WEFT_FIXED
  auto loader = data::loader<2>(set, {.shuffle = true});
#else
  auto loader = data::loader<2>(set, true, 4);
#endif
}
