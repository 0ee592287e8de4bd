#include "weft/kernel_ir/views.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace weft;
using kernel_ir::View;

namespace {

// The memory offsets of a view's elements in row-major order.
std::vector<i64> offsets(const View& v, const Dims& d) {
  std::vector<i64> all;
  for (i64 n = 0; n < d.size(); ++n) {
    i64 rest = n, at = v.offset;
    for (int k = d.rank - 1; k >= 0; --k) {
      at += rest % d.extent[k] * v.stride[k];
      rest /= d.extent[k];
    }
    all.push_back(at);
  }
  return all;
}

Dims dims(std::initializer_list<i64> extents) {
  Dims d;
  for (i64 e : extents) d.extent[d.rank++] = e;
  return d;
}

}  // namespace

TEST_CASE("views: a reshape that is a view keeps row-major order, and one that cannot be says so") {
  const Dims shapes[]{dims({24}),       dims({2, 12}), dims({4, 6}),    dims({2, 3, 4}), dims({4, 3, 2}),
                      dims({1, 24, 1}), dims({3, 8}),  dims({2, 2, 6}), dims({6, 1, 4}), dims({2, 2, 3, 2})};
  int views = 0, copies = 0;
  for (const Dims& from : shapes) {
    // contiguous, and every transposition of two axes
    for (int a = 0; a < from.rank; ++a)
      for (int b = a; b < from.rank; ++b) {
        Dims d = from;
        View v = kernel_ir::contiguous_view(0, from);
        std::swap(d.extent[a], d.extent[b]);
        std::swap(v.stride[a], v.stride[b]);
        const std::vector<i64> expected = offsets(v, d);
        for (const Dims& to : shapes) {
          View r = v;
          if (kernel_ir::reshape_view(r, d, to)) {
            ++views;
            CHECK(offsets(r, to) == expected);
          } else {
            ++copies;
            CHECK_FALSE(kernel_ir::is_contiguous(v, d));
          }
        }
      }
  }
  CHECK(views > 100);
  CHECK(copies > 50);
}
