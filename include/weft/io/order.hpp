#pragma once
// A stable sort of numbers by what they stand for. Here rather than std::sort because every use of that one
// costs each program that includes weft some 40 ms of compile time.

#include <vector>

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::io {

// 0 ... n-1, ordered so that less(order[i + 1], order[i]) is never true; equal ones keep their order. A
// bottom-up merge sort (Knuth, TAOCP vol. 3, 5.2.4).
template <class Less>
std::vector<u32> order_by(std::size_t n, Less less) {
  std::vector<u32> order(n), merged(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<u32>(i);
  for (std::size_t width = 1; width < n; width *= 2) {
    for (std::size_t begin = 0; begin < n; begin += 2 * width) {
      const std::size_t middle = begin + width < n ? begin + width : n;
      const std::size_t end = middle + width < n ? middle + width : n;
      std::size_t a = begin, b = middle;
      for (std::size_t out = begin; out < end; ++out) {
        const bool from_b = a == middle || (b < end && less(order[b], order[a]));
        merged[out] = from_b ? order[b++] : order[a++];
      }
    }
    order.swap(merged);
  }
  return order;
}

}  // namespace WEFT_NAMESPACE::io
