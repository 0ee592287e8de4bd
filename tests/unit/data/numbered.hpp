#pragma once
// Rows that say which sample they are, for tests of what picks samples.

#include <utility>
#include <vector>

#include "weft/data/dataset.hpp"

namespace data_test {

using namespace weft;
using data::Arrays;

inline Arrays<f32, i32> numbered(i64 n, i32 first = 0) {
  data::Column<f32> x{{}, {2}};
  data::Column<i32> y;
  for (i64 i = 0; i < n; ++i) {
    const i32 number = static_cast<i32>(i) + first;
    x.values.push_back(static_cast<f32>(number));
    x.values.push_back(-static_cast<f32>(number));
    y.values.push_back(number);
  }
  return Arrays<f32, i32>(std::move(x), std::move(y));
}
template <class D>
std::vector<i32> labels(const D& dataset) {
  std::vector<i32> out;
  for (i64 i = 0; i < static_cast<i64>(dataset.size()); ++i) out.push_back(std::get<1>(dataset[i])[0]);
  return out;
}

}  // namespace data_test
