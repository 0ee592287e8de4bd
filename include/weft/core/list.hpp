#pragma once
// A growable array made for constant evaluation: one allocation, raw indexing, no checks. Compilers charge
// every call and loop turn of a constexpr program; std::vector costs them three to five times as much. It may
// also borrow an array that outlives it, to be read as it stands; growing then copies.

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE {

template <class T>
class List {
 public:
  constexpr List() = default;
  constexpr explicit List(int n, const T& value = T{}) : size_(n), capacity_(n) {
    if (n == 0) return;
#ifdef __clang__  // zeros cost clang nothing; the others are slower with them than with the loop
    items = new T[static_cast<u64>(n)]{};
    if constexpr (requires { value == T{}; })
      if (value == T{}) return;
#else
    items = new T[static_cast<u64>(n)];
#endif
    for (int i = 0; i < n; ++i) items[i] = value;
  }
  constexpr List(const List& other)
      : items(other.size_ > 0 ? new T[static_cast<u64>(other.size_)] : nullptr),
        size_(other.size_),
        capacity_(other.size_) {
    for (int i = 0; i < size_; ++i) items[i] = other.items[i];
  }
  constexpr List(List&& other) noexcept : items(other.items), size_(other.size_), capacity_(other.capacity_) {
    other.items = nullptr;
    other.size_ = other.capacity_ = 0;
  }
  constexpr List& operator=(const List& other) {
    if (this != &other) {
      List copy(other);
      swap(copy);
    }
    return *this;
  }
  constexpr List& operator=(List&& other) noexcept {
    swap(other);
    return *this;
  }
  constexpr ~List() { release(); }
  static constexpr List borrow(const T* values, int count) {
    List list;
    list.items = const_cast<T*>(values);
    list.size_ = count;
    list.capacity_ = borrowed;
    return list;
  }

  // The first element. Public, as a call would cost constant evaluation as much as what it reads.
  T* items = nullptr;

  constexpr int size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* data() { return items; }
  constexpr const T* data() const { return items; }
  constexpr T* begin() { return items; }
  constexpr T* end() { return items + size_; }
  constexpr const T* begin() const { return items; }
  constexpr const T* end() const { return items + size_; }
  constexpr T& operator[](int i) { return items[i]; }
  constexpr const T& operator[](int i) const { return items[i]; }
  constexpr T& back() { return items[size_ - 1]; }
  constexpr const T& back() const { return items[size_ - 1]; }

  constexpr void push(const T& value) {
    if (size_ >= capacity_) {
      const T kept = value;  // value may live in the storage that grow() frees
      grow(size_ + 1);
      items[size_++] = kept;
    } else {
      items[size_++] = value;
    }
  }
  constexpr void append(const T* values, int count) {
    if (size_ + count > capacity_) grow(size_ + count);
    T* to = items + size_;
    for (int i = 0; i < count; ++i) to[i] = values[i];
    size_ += count;
  }
  constexpr void pop() { --size_; }
  constexpr void clear() { size_ = 0; }
  constexpr void reserve(int n) {
    if (n > capacity_) grow(n);
  }
  constexpr void resize(int n, const T& value = T{}) {
    if (n > capacity_) grow(n);
    for (int i = size_; i < n; ++i) items[i] = value;
    size_ = n;
  }
  constexpr void insert(int at, const T& value) {
    push(value);
    for (int i = size_ - 1; i > at; --i) items[i] = items[i - 1];
    items[at] = value;
  }

 private:
  static constexpr int borrowed = -1;

  constexpr void release() {
    if (capacity_ != borrowed) delete[] items;
  }
  constexpr void swap(List& other) noexcept {
    T* data = items;
    items = other.items;
    other.items = data;
    const int size = size_;
    size_ = other.size_;
    other.size_ = size;
    const int capacity = capacity_;
    capacity_ = other.capacity_;
    other.capacity_ = capacity;
  }
  constexpr void grow(int least) {
    const int capacity = capacity_ * 2 > least ? capacity_ * 2 : (least > 8 ? least : 8);
    T* data = new T[static_cast<u64>(capacity)];
    for (int i = 0; i < size_; ++i)
      if (capacity_ == borrowed)
        data[i] = items[i];
      else
        data[i] = static_cast<T&&>(items[i]);
    release();
    items = data;
    capacity_ = capacity;
  }

  int size_ = 0;
  int capacity_ = 0;
};

// Sorts by `less` in place, stable, O(n log n) (bottom-up merge; insertion when short).
template <class T, class Less>
constexpr void sort(List<T>& list, Less less) {
  const int n = list.size();
  if (n <= 24) {
    T* p = list.data();
    for (int i = 1; i < n; ++i) {
      const T value = p[i];
      int at = i;
      for (; at > 0 && less(value, p[at - 1]); --at) p[at] = p[at - 1];
      p[at] = value;
    }
    return;
  }
  List<T> other(n);
  T* from = list.data();
  T* to = other.data();
  for (int width = 1; width < n; width *= 2) {
    for (int begin = 0; begin < n; begin += 2 * width) {
      const int middle = begin + width < n ? begin + width : n;
      const int end = begin + 2 * width < n ? begin + 2 * width : n;
      int a = begin, b = middle;
      for (int k = begin; k < end; ++k)
        to[k] = (b >= end || (a < middle && !less(from[b], from[a]))) ? from[a++] : from[b++];
    }
    T* swap = from;
    from = to;
    to = swap;
  }
  if (from != list.data())
    for (int i = 0; i < n; ++i) list[i] = from[i];
}

}  // namespace WEFT_NAMESPACE
