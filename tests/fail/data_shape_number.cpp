// wrote: data::Arrays<f32, i64> dataset({pixels, 8}, {labels, {}})
// write: data::Arrays<f32, i64> dataset({pixels, {8}}, {labels, {}})
// expect: Arrays<float, long
// first-error: each field of Arrays<f32, i32> is a std::vector of its dtype and the shape of a row
#include "weft/weft.hpp"
using namespace weft;

int main() {
  std::vector<f32> pixels(80);
  std::vector<i64> labels(10);
#ifdef WEFT_FIXED
  data::Arrays<f32, i64> dataset({pixels, {8}}, {labels, {}});
#else
  data::Arrays<f32, i64> dataset({pixels, 8}, {labels, {}});
#endif
}
