#pragma once
// The shape rule of every primitive that changes shape: a constexpr function of extents. Typed handles, the
// builder and the verifier all call these, so that no rule is written twice.

#include "weft/core/shape.hpp"

namespace WEFT_NAMESPACE::ir {

// A set of axes, as bits.
using Axes = u32;

constexpr Axes all_axes(int rank) { return (1u << rank) - 1u; }

constexpr Dims make_dims(int rank, const i64* extent) {
  Dims d;
  d.rank = rank;
  for (int i = 0; i < rank; ++i) d.extent[i] = extent[i];
  return d;
}

// Reduced axes stay, with extent 1.
constexpr Dims reduced(Dims d, Axes axes) {
  for (int i = 0; i < d.rank; ++i)
    if (axes >> i & 1u) d.extent[i] = 1;
  return d;
}

// Reduced axes go.
constexpr Dims dropped(const Dims& d, Axes axes) {
  Dims r;
  r.rank = 0;
  for (int i = 0; i < d.rank; ++i)
    if (!(axes >> i & 1u)) r.extent[r.rank++] = d.extent[i];
  return r;
}

constexpr Dims permuted(const Dims& d, const i64* order) {
  Dims r;
  r.rank = d.rank;
  for (int i = 0; i < d.rank; ++i) r.extent[i] = d.extent[order[i]];
  return r;
}

// One axis of a slice: indices begin, begin + step, ... (count of them).
struct Slice {
  i64 begin = 0;
  i64 step = 1;
};
// One for each axis: all of it where nothing else is set. (Set by a loop: g++ 12 gives elements of an array
// of Slice zeros at run time, in a function that it has evaluated before.)
struct Slices {
  Slice axis[max_rank];
  constexpr Slices() {
    for (Slice& s : axis) s = Slice{0, 1};
  }
  constexpr Slice& operator[](int k) { return axis[k]; }
  constexpr operator const Slice*() const { return axis; }
};

constexpr Dims padded(const Dims& d, const i64* low_high) {
  Dims r = d;
  for (int i = 0; i < d.rank; ++i) r.extent[i] += low_high[2 * i] + low_high[2 * i + 1];
  return r;
}

// The axes of a general contraction. The result's axes: batch, free axes of a, free axes of b.
struct DotAxes {
  int batch = 0;
  int contracted = 0;
  int batch_a[8]{}, batch_b[8]{}, contracted_a[8]{}, contracted_b[8]{};
  constexpr Axes used_a() const {
    Axes used = 0;
    for (int i = 0; i < batch; ++i) used |= 1u << batch_a[i];
    for (int i = 0; i < contracted; ++i) used |= 1u << contracted_a[i];
    return used;
  }
  constexpr Axes used_b() const {
    Axes used = 0;
    for (int i = 0; i < batch; ++i) used |= 1u << batch_b[i];
    for (int i = 0; i < contracted; ++i) used |= 1u << contracted_b[i];
    return used;
  }
  constexpr bool agrees(const Dims& a, const Dims& b) const {
    for (int i = 0; i < batch; ++i)
      if (a.extent[batch_a[i]] != b.extent[batch_b[i]]) return false;
    for (int i = 0; i < contracted; ++i)
      if (a.extent[contracted_a[i]] != b.extent[contracted_b[i]]) return false;
    return true;
  }
};

constexpr Dims dot_dims(const Dims& a, const Dims& b, const DotAxes& axes) {
  Dims r;
  r.rank = 0;
  for (int i = 0; i < axes.batch; ++i) r.extent[r.rank++] = a.extent[axes.batch_a[i]];
  for (int i = 0; i < a.rank; ++i)
    if (!(axes.used_a() >> i & 1u)) r.extent[r.rank++] = a.extent[i];
  for (int i = 0; i < b.rank; ++i)
    if (!(axes.used_b() >> i & 1u)) r.extent[r.rank++] = b.extent[i];
  return r;
}

// take_rows(table (V, row...), index) -> (index..., row...)
constexpr Dims gathered(const Dims& table, const Dims& index) {
  Dims r = index;
  for (int i = 1; i < table.rank; ++i) r.extent[r.rank++] = table.extent[i];
  return r;
}

// scatter_add(index, update (index..., row...)) -> (rows, row...)
constexpr Dims scattered(i64 rows, const Dims& index, const Dims& update) {
  Dims r;
  r.rank = 1;
  r.extent[0] = rows;
  for (int i = index.rank; i < update.rank; ++i) r.extent[r.rank++] = update.extent[i];
  return r;
}

}  // namespace WEFT_NAMESPACE::ir
