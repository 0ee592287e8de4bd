#include "weft/core/sorted.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace weft;

TEST_CASE("sorted: as std::stable_sort, of any length, sorted already or the other way round") {
  std::mt19937 random(5);
  for (int n = 0; n < 200; ++n) {
    List<int> list;
    std::vector<int> wanted;
    for (int k = 0; k < n; ++k) {
      const int v = n % 3 == 0 ? k : n % 3 == 1 ? n - k : static_cast<int>(random() % 50);
      list.push(v);
      wanted.push_back(v);
    }
    sort_by(list, [](int v) { return v / 4; });  // equal keys keep their order
    std::stable_sort(wanted.begin(), wanted.end(), [](int a, int b) { return a / 4 < b / 4; });
    CHECK(std::vector<int>(list.begin(), list.end()) == wanted);
  }
}

constexpr int smallest() {
  List<int> list;
  for (const int v : {5, 3, 9, 1, 4}) list.push(v);
  sort_by(list, [](int v) { return v; });
  return list[0];
}
static_assert(smallest() == 1);
