#pragma once
// What index(x, ...) means, decided from types alone: which axes are sliced, dropped or added, which are
// indexed by tensors, and the result's shape. Law: PyTorch's rules; integers count as slices, and axes
// indexed by tensors stay in place if they are neighbours, and go to the front if not.

#include "weft/ir/along_axis.hpp"
#include "weft/ops/shape/slicing.hpp"

namespace WEFT_NAMESPACE {

// A whole axis; the axes that are not named; a new axis of extent 1.
struct Every {};
struct Ellipsis {};
struct NewAxis {};
inline constexpr Every every{};
inline constexpr Ellipsis ellipsis{};
inline constexpr NewAxis newaxis{};
// range<1, 5, 2>: Python's 1:5:2. at<-1>: one place of an axis, which goes.
template <i64 Begin, i64 End, i64 Step>
struct RangeOf {
  constexpr RangeOf operator()() const { return {}; }
};
template <i64 Begin = 0, i64 End = to_end, i64 Step = 1>
inline constexpr RangeOf<Begin, End, Step> range{};
template <i64 Place>
struct At {};
template <i64 Place>
inline constexpr At<Place> at{};
// bounded<8>(mask): at most the first 8 elements where the mask is true; missing ones give zeros.
template <i64 Capacity, class M>
struct Bounded {
  M mask;
};
template <i64 Capacity, class M>
constexpr Bounded<Capacity, M> bounded(const M& mask) {
  return {mask};
}

namespace detail {

// Stands for an operand given at run time: integers of shape S, or a mask.
template <class T, class S>
struct TensorSpec {};
template <i64 Capacity, class S>
struct MaskSpec {};

enum class IndexFault : u8 { none, axes, ellipses, outside, step, indices, mask, rank };

WEFT_REFUSAL(IndexIsKnown,
             "index(x, ...): for each axis every, range<begin, end, step>, at<place>, new_axis, ellipsis, a "
             "tensor of integers or a mask<capacity>(m)");

struct IndexPlan {
  IndexFault fault{};
  ir::Slices slices;  // of x
  Dims sliced;        // x after them
  Dims basic;         // dropped and new axes done, axes under a mask joined
  int tensors = 0;    // axes indexed by tensors: which of `basic`
  int axis[8]{};
  Dims joined;  // the tensors' common shape
  bool masked = false;
  bool front = false;  // the joined axes go first
  Dims result;

  // while walking
  Dims x;
  int at = 0, named = 0;
  bool seen_ellipsis = false, has_joined = false;

  constexpr void fail(IndexFault f) {
    if (fault == IndexFault::none) fault = f;
  }
  constexpr i64 extent() {
    if (at < x.rank) return x.extent[at];
    fail(IndexFault::axes);
    return 1;
  }
  constexpr void keep(i64 begin, i64 count, i64 step) {
    if (at >= x.rank) return fail(IndexFault::axes);
    slices[at] = {begin, step};
    sliced.extent[at] = count;
    ++at;
  }
  constexpr void push(i64 e) {
    if (basic.rank >= max_rank) return fail(IndexFault::rank);
    basic.extent[basic.rank++] = e;
  }
  template <class Given>
  constexpr void add(const Given&) {
    static_assert(sizeof(IndexIsKnown<sizeof(Given) == 0, Given>) > 0);
    add(Every{});
  }
  constexpr void add(Every) {
    const i64 e = extent();
    keep(0, e, 1);
    push(e);
  }
  constexpr void add(Ellipsis) {
    if (seen_ellipsis) fail(IndexFault::ellipses);
    seen_ellipsis = true;
    for (int left = x.rank - named; left > 0; --left) add(Every{});
  }
  constexpr void add(NewAxis) { push(1); }
  template <i64 Begin, i64 End, i64 Step>
  constexpr void add(RangeOf<Begin, End, Step>) {
    if (Step <= 0) return fail(IndexFault::step);
    const i64 e = extent();
    const auto place = [e](i64 i) { return i < -e ? i64{0} : i < 0 ? i + e : i > e ? e : i; };
    const i64 begin = place(Begin), end = place(End),
              count = end > begin ? (end - begin + Step - 1) / Step : 0;
    keep(begin, count, Step);
    push(count);
  }
  template <i64 Place>
  constexpr void add(At<Place>) {
    const i64 e = extent(), i = Place < 0 ? Place + e : Place;
    if (i < 0 || i >= e) return fail(IndexFault::outside);
    keep(i, 1, 1);
  }
  constexpr void join(const Dims& d) {
    axis[tensors++] = basic.rank;
    if (has_joined && !broadcastable(joined, d)) return fail(IndexFault::indices);
    joined = has_joined ? broadcast(joined, d) : d;
    has_joined = true;
  }
  template <class T, class S>
  constexpr void add(TensorSpec<T, S>) {
    if (!is_integer(dtype_of<T>)) return fail(IndexFault::indices);
    const i64 e = extent();
    join(S::value);
    keep(0, e, 1);
    push(e);
  }
  template <i64 Capacity, class S>
  constexpr void add(MaskSpec<Capacity, S>) {
    Dims d;
    d.rank = 1;
    d.extent[0] = Capacity;
    join(d);
    masked = true;
    i64 size = 1;
    for (int k = 0; k < S::rank; ++k) {
      const i64 e = extent();
      if (e != S::value.extent[k]) fail(IndexFault::mask);
      keep(0, e, 1);
      size *= e;
    }
    push(size);
  }
  constexpr void finish() {
    if (!seen_ellipsis) add(Ellipsis{});
    if (at != x.rank) fail(IndexFault::axes);
    result = basic;
    if (tensors == 0 || fault != IndexFault::none) return;
    for (int k = 1; k < tensors; ++k) front = front || axis[k] != axis[k - 1] + 1;
    Dims r;
    const auto append = [&](const Dims& d, int begin, int end) {
      for (int k = begin; k < end; ++k) {
        if (r.rank >= max_rank) return fail(IndexFault::rank);
        r.extent[r.rank++] = d.extent[k];
      }
    };
    if (front) append(joined, 0, joined.rank);
    int next = 0;
    for (int k = 0; k < basic.rank; ++k) {
      if (next < tensors && axis[next] == k) {
        if (next == 0 && !front) append(joined, 0, joined.rank);
        ++next;
      } else {
        append(basic, k, k + 1);
      }
    }
    result = r;
  }
};

template <class Spec>
inline constexpr int axes_named = 1;
template <>
inline constexpr int axes_named<Ellipsis> = 0;
template <>
inline constexpr int axes_named<NewAxis> = 0;
template <i64 Capacity, class S>
inline constexpr int axes_named<MaskSpec<Capacity, S>> = S::rank;

template <class X, class... Spec>
struct index_rule {
  static constexpr IndexPlan make() {
    IndexPlan p;
    p.x = p.sliced = X::value;
    p.named = (axes_named<Spec> + ... + 0);
    (p.add(Spec{}), ...);
    p.finish();
    return p;
  }
  static constexpr IndexPlan plan = make();
  static constexpr bool ok = plan.fault == IndexFault::none;
  static constexpr Dims value = ok ? plan.result : X::value;
};

}  // namespace detail
}  // namespace WEFT_NAMESPACE
