#pragma once
// A fusion as words, and back: as constant arrays that later evaluations read where they lie.

#include "weft/core/constexpr_stage.hpp"
#include "weft/ir/freeze.hpp"
#include "weft/kernel_ir/collect.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

constexpr void write(WordWriter& w, const ir::Graph& g, const Fusion& f) {
  const int n = g.nodes.size();
  w.put_int(n);
  w.put_int(f.views.size());
  w.put_int(f.kernels.size());
  w.put_int(f.pool.size());
  const Materialization* const materialization = f.materialization.data();
  const Level* const level = f.level.data();
  const u8* const stored = f.stored.data();
  const int* const kernel_of = f.kernel_of.data();
  const int* const view_of = f.view_of.data();
  u64* at = w.claim(n);
  for (int i = 0; at != nullptr && i < n; ++i)
    at[i] = static_cast<u64>(materialization[i]) | static_cast<u64>(level[i]) << 4 |
            static_cast<u64>(stored[i]) << 8 | static_cast<u64>(kernel_of[i] + 1) << 12 |
            static_cast<u64>(view_of[i] + 1) << 36;
  for (const View& v : f.views) {
    w.put_pair(v.root, v.rank);
    w.put_int(v.offset);
    for (int k = 0; k < v.rank; ++k) w.put_int(v.stride[k]);
  }
  for (const Kernel& x : f.kernels) {
    w.put_pair(x.opaque, x.split);
    if (x.opaque >= 0) {
      w.put_pair(x.result, x.added);
      w.put_int(x.bias);
    }
    w.put_pair(x.body.begin, x.body.size);
    w.put_pair(x.loads.begin, x.loads.size);
    w.put_pair(x.stores.begin, x.stores.size);
    w.put_pair(16 * (x.batch + 1) + x.space.rank, 2 * (x.walk + 1) + (x.middle_axis ? 1 : 0));
    for (int k = 0; k < x.space.rank; ++k) w.put_int(x.space.extent[k]);
  }
  const int* const pool = f.pool.data();
  const int pool_size = f.pool.size();
  at = w.claim(pool_size);
  for (int i = 0; at != nullptr && i < pool_size; ++i) at[i] = static_cast<u64>(pool[i]);
}

struct FusionSizes {
  int nodes = 0, views = 0, kernels = 0, pool = 0;
};
constexpr FusionSizes read_fusion_sizes(WordReader& r) {
  FusionSizes s;
  for (int* n : {&s.nodes, &s.views, &s.kernels, &s.pool}) *n = r.get_size();
  return s;
}

// Reads what follows the sizes into `to`, whose members are arrays of those lengths.
template <class Arrays>
constexpr void read_fusion(WordReader& r, const FusionSizes& sizes, Arrays& to) {
  using R = WordReader;
  Materialization* const materialization = ir::begin_of(to.materialization);
  Level* const level = ir::begin_of(to.level);
  u8* const stored = ir::begin_of(to.stored);
  int* const kernel_of = ir::begin_of(to.kernel_of);
  int* const view_of = ir::begin_of(to.view_of);
  const u64* from = r.take(sizes.nodes);
  for (int i = 0; i < sizes.nodes; ++i) {
    const u64 w = from[i];
    materialization[i] = static_cast<Materialization>(w & 15);
    level[i] = static_cast<Level>(w >> 4 & 15);
    stored[i] = static_cast<u8>(w >> 8 & 15);
    kernel_of[i] = static_cast<int>(w >> 12 & 0xffffff) - 1;
    view_of[i] = static_cast<int>(w >> 36) - 1;
  }
  for (int i = 0; i < sizes.views; ++i) {
    View& v = to.views[i];
    const u64 w = r.get();
    v.root = R::low(w);
    v.rank = R::high(w);
    v.offset = r.get_int();
    for (int k = 0; k < v.rank; ++k) v.stride[k] = r.get_int();
  }
  const auto span = [&] {
    const u64 w = r.get();
    return ir::Span{R::low(w), R::high(w)};
  };
  for (int i = 0; i < sizes.kernels; ++i) {
    Kernel& x = to.kernels[i];
    const u64 a = r.get();
    x.opaque = R::low(a);
    x.split = R::high(a);
    if (x.opaque >= 0) {
      const u64 b = r.get();
      x.result = R::low(b);
      x.added = R::high(b);
      x.bias = static_cast<int>(r.get_int());
    }
    x.body = span();
    x.loads = span();
    x.stores = span();
    const u64 s = r.get();
    x.space.rank = R::low(s) % 16;
    x.batch = R::low(s) / 16 - 1;
    x.middle_axis = R::high(s) % 2 != 0;
    x.walk = R::high(s) / 2 - 1;
    for (int k = 0; k < x.space.rank; ++k) x.space.extent[k] = r.get_int();
  }
  int* const pool = ir::begin_of(to.pool);
  from = r.take(sizes.pool);
  for (int i = 0; i < sizes.pool; ++i) pool[i] = static_cast<int>(from[i]);
}

// Kernels half formed, and back.
constexpr void write(WordWriter& w, const ir::Graph& g, const Clustering& s) {
  const int n = g.nodes.size();
  w.put_pair(s.next, s.reserved_used);
  w.put_int(s.deferred_outputs.size());
  for (int x : s.deferred_outputs) w.put_int(x);
  u64* at = w.claim(3 * n);
  for (int i = 0; at != nullptr && i < n; ++i, at += 3) {
    at[0] = static_cast<u64>(s.min_kernel.items[i]) | static_cast<u64>(s.reader.items[i] + 1) << 32;
    at[1] = static_cast<u64>(s.before.items[i] + 1) | static_cast<u64>(s.leaf.items[i]) << 32;
    at[2] = static_cast<u64>(s.remat_cost.items[i]) | static_cast<u64>(s.leaves.items[i]) << 32 |
            static_cast<u64>(s.streams.items[i]) << 48;
  }
  write(w, g, s.fusion);
  for (const Kernel& x : s.fusion.kernels) {
    w.put_pair(x.shape, x.last);
    w.put_pair(x.weight, x.streams << 16 | x.operands << 3 | (x.closed ? 4 : 0) | (x.totals ? 2 : 0) |
                             (x.mixed ? 1 : 0));
  }
}
constexpr void read_clustering(const u64* words, const ir::Graph& g, Clustering& s) {
  using R = WordReader;
  R r(words);
  const int n = g.nodes.size();
  const u64 counts = r.get();
  s.next = R::low(counts);
  s.reserved_used = R::high(counts);
  for (int k = r.get_size(); k > 0; --k) s.deferred_outputs.push(static_cast<int>(r.get()));
  const u64* from = r.take(3 * n);
  for (List<int>* list : {&s.min_kernel, &s.reader, &s.before, &s.leaf, &s.remat_cost, &s.leaves, &s.streams})
    list->resize(n);
  for (int i = 0; i < n; ++i, from += 3) {
    s.min_kernel.items[i] = R::low(from[0]);
    s.reader.items[i] = R::high(from[0]) - 1;
    s.before.items[i] = R::low(from[1]) - 1;
    s.leaf.items[i] = R::high(from[1]);
    s.remat_cost.items[i] = R::low(from[2]);
    s.leaves.items[i] = R::high(from[2]) & 0xffff;
    s.streams.items[i] = R::high(from[2]) >> 16;
  }
  Fusion& f = s.fusion;
  const FusionSizes sizes = read_fusion_sizes(r);
  f.materialization.resize(sizes.nodes);
  f.level.resize(sizes.nodes);
  f.stored.resize(sizes.nodes);
  f.kernel_of.resize(sizes.nodes);
  f.view_of.resize(sizes.nodes);
  f.views.resize(sizes.views);
  f.kernels.resize(sizes.kernels);
  f.pool.resize(sizes.pool);
  read_fusion(r, sizes, f);
  for (Kernel& x : s.fusion.kernels) {
    const u64 a = r.get();
    const u64 b = r.get();
    x.shape = R::low(a);
    x.last = R::high(a);
    x.weight = R::low(b);
    x.mixed = R::high(b) % 2 != 0;
    x.totals = R::high(b) / 2 % 2 != 0;
    x.closed = R::high(b) / 4 % 2 != 0;
    x.operands = (R::high(b) & 0xffff) >> 3;
    x.streams = R::high(b) >> 16;
  }
}

// The fusion that Stage wrote, as constant arrays. borrowed() has them for reading; collectable() has what
// collect() changes copied.
template <class Stage>
struct FrozenFusion {
  static constexpr int count(int which) { return static_cast<int>(Kept<Stage>::data[which]); }
  static constexpr int nodes = count(0), views = count(1), kernels = count(2), pool = count(3);
  template <class S>  // a template, so that its members wait for the counts
  struct Arrays {
    Materialization materialization[at_least_one(S::nodes)]{};
    int kernel_of[at_least_one(S::nodes)]{};
    Level level[at_least_one(S::nodes)]{};
    u8 stored[at_least_one(S::nodes)]{};
    int view_of[at_least_one(S::nodes)]{};
    View views[at_least_one(S::views)]{};
    Kernel kernels[at_least_one(S::kernels)]{};
    int pool[at_least_one(S::pool)]{};
  };
  template <class S>
  static constexpr Arrays<S> read() {
    Arrays<S> to;
    WordReader r(Kept<Stage>::data);
    const FusionSizes sizes = read_fusion_sizes(r);
    read_fusion(r, sizes, to);
    return to;
  }
  static constexpr Arrays<FrozenFusion> arrays = read<FrozenFusion>();

  static constexpr Fusion borrowed() {
    Fusion f;
    f.materialization = List<Materialization>::borrow(arrays.materialization, nodes);
    f.kernel_of = List<int>::borrow(arrays.kernel_of, nodes);
    f.level = List<Level>::borrow(arrays.level, nodes);
    f.stored = List<u8>::borrow(arrays.stored, nodes);
    f.view_of = List<int>::borrow(arrays.view_of, nodes);
    f.views = List<View>::borrow(arrays.views, views);
    f.kernels = List<Kernel>::borrow(arrays.kernels, kernels);
    f.pool = List<int>::borrow(arrays.pool, pool);
    return f;
  }
  static constexpr Fusion collectable() {
    Fusion f = borrowed();
    f.stored = List<u8>();
    f.stored.append(arrays.stored, nodes);
    f.views = List<View>();
    f.views.append(arrays.views, views);
    f.kernels = List<Kernel>();
    f.kernels.append(arrays.kernels, kernels);
    return f;
  }
};

}  // namespace WEFT_NAMESPACE::kernel_ir
