#include "weft/kernels/axis/sort.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace weft;
using namespace weft::kernels;

namespace {

// The places of the first `count` elements, NaN last, or first where the greatest come first.
template <class T>
std::vector<i64> sorted_places(const std::vector<T>& x, i64 count, bool largest_first) {
  std::vector<i64> at(x.size());
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<i64>(i);
  const auto before = [](T a, T b) { return a < b || (b != b && a == a); };
  std::stable_sort(at.begin(), at.end(), [&](i64 i, i64 j) {
    const T a = x[static_cast<std::size_t>(i)], b = x[static_cast<std::size_t>(j)];
    return largest_first ? before(b, a) : before(a, b);
  });
  at.resize(static_cast<std::size_t>(count));
  return at;
}

template <class T>
void check(std::mt19937& random, i64 n, i64 count, int kinds) {
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& v : x) {
    v = static_cast<T>(static_cast<int>(random() % static_cast<unsigned>(kinds)) - kinds / 2);
    if constexpr (std::is_floating_point_v<T>) {
      if (kinds > 100) v = v * T(1.37) / T(1 + random() % 1000);
      if (random() % 40 == 0) v = static_cast<T>(std::nan(""));
      if (random() % 40 == 0) v = -T(0);
    }
  }
  for (const bool largest_first : {false, true}) {
    AxisArgs args;
    args.a = x.data();
    args.outer = args.inner = 1;
    args.extent = n;
    args.count = count;
    args.a_stride[1] = 1;
    args.flag = largest_first;
    std::vector<i64> out(static_cast<std::size_t>(count));
    args.out = out.data();
    std::vector<sort_item<T>> items(static_cast<std::size_t>(2 * n));
    argsort_line<T>(args, 0, items.data());
    INFO("n ", n, " count ", count, " kinds ", kinds, " descending ", largest_first);
    CHECK(out == sorted_places(x, count, largest_first));
  }
}

}  // namespace

TEST_CASE("argsort on the host: every way to sort and to select gives the stable order") {
  std::mt19937 random(1);
  for (const i64 n : {1, 2, 15, 16, 17, 100, 127, 128, 129, 600, 1023, 1024, 3000, 9000})
    for (const i64 part : {1, 2, 3, 9, 20, 500})
      for (const int kinds : {1, 3, 1000000}) {
        const i64 count = n / part > 0 ? n / part : 1;
        check<f32>(random, n, count, kinds);
        check<f64>(random, n, count, kinds);
        check<i32>(random, n, count, kinds);
      }
}
