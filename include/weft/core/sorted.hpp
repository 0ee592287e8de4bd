#pragma once
// Sorting while the program compiles. Law: stable, and in n log n steps.

#include "weft/core/list.hpp"

namespace WEFT_NAMESPACE {

// Sorts the list by key(x), a number, in ascending order.
template <class T, class Key>
constexpr void sort_by(List<T>& list, Key key) {
  const int n = list.size();
  bool ascending = true;
  for (int i = 1; i < n && ascending; ++i) ascending = !(key(list.items[i]) < key(list.items[i - 1]));
  if (ascending) return;
  List<T> other(n);
  for (int width = 1; width < n; width *= 2) {
    for (int begin = 0; begin < n; begin += 2 * width) {
      const int middle = begin + width < n ? begin + width : n, end = middle + width < n ? middle + width : n;
      int i = begin, j = middle;
      for (int to = begin; to < end; ++to) {
        const bool right = i == middle || (j < end && key(list.items[j]) < key(list.items[i]));
        other.items[to] = right ? list.items[j++] : list.items[i++];
      }
    }
    list = static_cast<List<T>&&>(other);
  }
}

}  // namespace WEFT_NAMESPACE
