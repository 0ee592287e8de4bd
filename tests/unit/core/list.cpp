#include "weft/core/list.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace weft;

TEST_CASE("list: grows, copies and moves like a vector") {
  List<int> list;
  std::vector<int> vector;
  for (int i = 0; i < 100; ++i) {
    list.push(i * i);
    vector.push_back(i * i);
  }
  list.insert(3, -1);
  vector.insert(vector.begin() + 3, -1);
  const List<int> copy = list;
  List<int> moved = static_cast<List<int>&&>(list);
  REQUIRE(copy.size() == 101);
  CHECK(std::equal(copy.begin(), copy.end(), vector.begin()));
  CHECK(std::equal(moved.begin(), moved.end(), vector.begin()));
}

TEST_CASE("list: a borrowed array is read in place and copied before it grows") {
  static constexpr int numbers[]{1, 2, 3};
  List<int> list = List<int>::borrow(numbers, 3);
  CHECK(list.data() == numbers);
  List<int> moved = static_cast<List<int>&&>(list);
  CHECK(moved.data() == numbers);
  moved.push(4);
  CHECK(moved.data() != numbers);
  CHECK(std::vector<int>(moved.begin(), moved.end()) == std::vector<int>{1, 2, 3, 4});
  CHECK(numbers[2] == 3);
}

TEST_CASE("list: pushing an element of the list itself survives growth") {
  List<int> list;
  list.push(7);
  for (int i = 0; i < 40; ++i) list.push(list[0]);
  CHECK(list.back() == 7);
}

TEST_CASE("list: sort is stable for short and long lists") {
  struct Item {
    int key = 0, order = 0;
  };
  for (const int n : {0, 1, 2, 23, 24, 25, 200}) {
    List<Item> list;
    for (int i = 0; i < n; ++i) list.push({(i * 7919) % 13, i});
    sort(list, [](const Item& a, const Item& b) { return a.key < b.key; });
    for (int i = 0; i + 1 < n; ++i) {
      CAPTURE(i);
      const bool ascending = list[i].key < list[i + 1].key;
      const bool stable = list[i].key == list[i + 1].key && list[i].order < list[i + 1].order;
      CHECK((ascending || stable));
    }
  }
}

TEST_CASE("list: works while compiling") {
  constexpr int sum = [] {
    List<int> list;
    for (int i = 0; i < 50; ++i) list.push(i);
    int total = 0;
    for (int x : list) total += x;
    return total;
  }();
  static_assert(sum == 1225);
}
