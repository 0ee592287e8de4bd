// wrote: data::Arrays<f32, i32> set({std::vector<double>(80), {8}}, {labels, {}});
// write: data::Arrays<f32, i32> set({std::vector<f32>(80), {8}}, {labels, {}});
// expect: Arrays<float, int>
// first-error: each field of Arrays<f32, i32> is a std::vector of its dtype
#include "weft/weft.hpp"
using namespace weft;

int main() {
  std::vector<i32> labels(10);
#ifdef WEFT_FIXED
  data::Arrays<f32, i32> set({std::vector<f32>(80), {8}}, {labels, {}});
#else
  data::Arrays<f32, i32> set({std::vector<double>(80), {8}}, {labels, {}});
#endif
  return set.size() > 100;
}
