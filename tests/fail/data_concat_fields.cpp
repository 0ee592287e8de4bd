// wrote: data::concat(a, b) of Arrays<f32, i64> and Arrays<f32, i32>
// write: data::concat(a, b) of Arrays<f32, i64> and Arrays<f32, i64>
// expect: Row<int>
// first-error: concat: the datasets have other fields
#include "weft/weft.hpp"
using namespace weft;

#ifdef WEFT_FIXED
using Second = data::Arrays<f32, i64>;
#else
using Second = data::Arrays<f32, i32>;
#endif

void train(const data::Arrays<f32, i64>& a, const Second& b) {
  const auto all = data::concat(a, b);
  for (auto& [x, y] : data::loader<4>(all)) (void)x;
}
