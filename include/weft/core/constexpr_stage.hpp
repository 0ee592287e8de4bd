#pragma once
// How one constant evaluation hands its result to the next: as flat 64-bit words, which compilers keep and
// read cheaply. Splitting the work over several constant variables restarts the compilers' step limits.

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE {

// Extents of arrays that may have nothing to hold.
constexpr int at_least_one(int n) { return n > 0 ? n : 1; }

template <int N>
struct Words {
  u64 w[at_least_one(N)]{};
};

// Writes values one after another; counts on when full, so that a second try knows the size.
class WordWriter {
 public:
  constexpr WordWriter(u64* words, int capacity) : words_(words), capacity_(capacity) {}
  constexpr void put(u64 word) {
    if (size_ < capacity_) words_[size_] = word;
    ++size_;
  }
  constexpr void put_int(i64 value) { put(static_cast<u64>(value)); }
  // Two 32-bit numbers in one word.
  constexpr void put_pair(int a, int b) {
    put(static_cast<u64>(static_cast<u32>(a)) | static_cast<u64>(static_cast<u32>(b)) << 32);
  }
  // Room for the next `count` words, to be filled by the caller; null beyond the capacity. A call a word is
  // what long arrays cannot afford.
  constexpr u64* claim(int count) {
    u64* const begin = size_ + count <= capacity_ ? words_ + size_ : nullptr;
    size_ += count;
    return begin;
  }
  constexpr void put_all(const u64* words, int count) {
    u64* const to = claim(count);
    for (int i = 0; to != nullptr && i < count; ++i) to[i] = words[i];
  }
  constexpr int size() const { return size_; }

 private:
  u64* words_;
  int capacity_;
  int size_ = 0;
};

class WordReader {
 public:
  constexpr explicit WordReader(const u64* words) : at_(words) {}
  constexpr u64 get() { return *at_++; }
  constexpr i64 get_int() { return static_cast<i64>(*at_++); }
  // The next `count` words.
  constexpr const u64* take(int count) {
    const u64* const begin = at_;
    at_ += count;
    return begin;
  }
  constexpr int get_size() { return static_cast<int>(*at_++); }
  static constexpr int low(u64 word) { return static_cast<int>(static_cast<u32>(word)); }
  static constexpr int high(u64 word) { return static_cast<int>(static_cast<u32>(word >> 32)); }

 private:
  const u64* at_;
};

template <int Capacity>
struct WideWords {
  int size = 0;
  Words<Capacity> words;
};

namespace detail {
template <bool>
struct Constant {};
}  // namespace detail

// How many words a stage is first given room for: its own guess, Stage::capacity, where it has one. Constant
// arrays cost compilers memory by the element, so guesses are near what comes.
template <class Stage>
constexpr int capacity_of() {
  if constexpr (requires { Stage::capacity; })
    return Stage::capacity;
  else
    return 16384;
}

template <class Stage, int Capacity>
constexpr WideWords<Capacity> evaluate() {
  WideWords<Capacity> r;
  WordWriter writer(r.words.w, Capacity);
  Stage::write(writer);
  r.size = writer.size();
  return r;
}
// Whether what a stage writes is a constant. The same call as that of Kept, whose value g++ remembers.
template <class Stage>
concept RunsWhileCompiling = requires {
  typename detail::Constant<(evaluate<Stage, capacity_of<Stage>()>().size >= 0)>;
};

// Where a stage does not run, the compiler's own words, with the line, if -DWEFT_TRACE_ERRORS asks for them.
template <bool Runs, class Stage>
struct ShownWhyNot {};
#ifdef WEFT_TRACE_ERRORS
template <class Stage>
struct ShownWhyNot<false, Stage> {
  static_assert(evaluate<Stage, capacity_of<Stage>()>().size >= 0);
};
#endif

// The words that Stage::write(writer) puts, evaluated once if `Capacity` suffices, else twice: `words`
// exactly sized, for what stays in the program; `data` where they lie already, for the next stage.
template <class Stage, int Capacity = capacity_of<Stage>()>
struct Kept {
  template <int N, int C>
  static constexpr Words<N> shrink(const WideWords<C>& from) {
    Words<N> r;
    for (int i = 0; i < N; ++i) r.w[i] = from.words.w[i];
    return r;
  }
  static constexpr WideWords<Capacity> wide = evaluate<Stage, Capacity>();
  static constexpr int size = wide.size;
  static constexpr Words<size> make() {
    if constexpr (size <= Capacity)
      return shrink<size>(wide);
    else
      return evaluate<Stage, size>().words;
  }
  static constexpr Words<size> words = make();
  static constexpr const u64* find() {
    if constexpr (size <= Capacity)
      return wide.words.w;
    else
      return words.w;
  }
  static constexpr const u64* data = find();
};

}  // namespace WEFT_NAMESPACE
