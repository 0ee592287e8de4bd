#pragma once
// A fusion as words, and back.

#include "weft/core/words.hpp"
#include "weft/passes/collect.hpp"

namespace weft::passes {

constexpr void write(WordWriter& w, const ir::Graph& g, const Fusion& f) {
  for (int i = 0; i < g.nodes.size(); ++i)
    w.put(static_cast<u64>(f.role[i]) | static_cast<u64>(f.level[i]) << 4 |
          static_cast<u64>(f.stored[i]) << 8 |
          static_cast<u64>(static_cast<u32>(f.group[i] + 1) & 0xffffff) << 12 |
          static_cast<u64>(static_cast<u32>(f.view_of[i] + 1)) << 36);
  w.put_int(f.views.size());
  for (const View& v : f.views) {
    w.put_pair(v.root, v.rank);
    w.put_int(v.offset);
    for (int k = 0; k < v.rank; ++k) w.put_int(v.stride[k]);
  }
  w.put_int(f.groups.size());
  for (const Group& x : f.groups) {
    w.put_pair(x.opaque, x.split);
    w.put_pair(x.body.begin, x.body.size);
    w.put_pair(x.loads.begin, x.loads.size);
    w.put_pair(x.stores.begin, x.stores.size);
    w.put_pair(x.space.rank, x.odd ? 1 : 0);
    for (int k = 0; k < x.space.rank; ++k) w.put_int(x.space.extent[k]);
  }
  w.put_int(f.pool.size());
  for (int k = 0; k < f.pool.size(); k += 2) w.put_pair(f.pool[k], k + 1 < f.pool.size() ? f.pool[k + 1] : 0);
}

constexpr Fusion thaw_fusion(const ir::Graph& g, const u64* words) {
  using R = WordReader;
  R r(words);
  Fusion f;
  const int n = g.nodes.size();
  f.role.resize(n);
  f.level.resize(n);
  f.stored.resize(n);
  f.group.resize(n);
  f.view_of.resize(n);
  for (int i = 0; i < n; ++i) {
    const u64 w = r.get();
    f.role[i] = static_cast<Role>(w & 15);
    f.level[i] = static_cast<Level>(w >> 4 & 15);
    f.stored[i] = static_cast<u8>(w >> 8 & 15);
    f.group[i] = static_cast<int>(w >> 12 & 0xffffff) - 1;
    f.view_of[i] = static_cast<int>(w >> 36) - 1;
  }
  f.views.resize(r.get_size());
  for (View& v : f.views) {
    const u64 w = r.get();
    v.root = R::low(w);
    v.rank = R::high(w);
    v.offset = r.get_int();
    for (int k = 0; k < v.rank; ++k) v.stride[k] = r.get_int();
  }
  f.groups.resize(r.get_size());
  const auto span = [&] {
    const u64 w = r.get();
    return ir::Span{R::low(w), R::high(w)};
  };
  for (Group& x : f.groups) {
    const u64 a = r.get();
    x.opaque = R::low(a);
    x.split = R::high(a);
    x.body = span();
    x.loads = span();
    x.stores = span();
    const u64 s = r.get();
    x.space.rank = R::low(s);
    x.odd = R::high(s) != 0;
    for (int k = 0; k < x.space.rank; ++k) x.space.extent[k] = r.get_int();
  }
  f.pool.resize(r.get_size());
  for (int k = 0; k < f.pool.size(); k += 2) {
    const u64 w = r.get();
    f.pool[k] = R::low(w);
    if (k + 1 < f.pool.size()) f.pool[k + 1] = R::high(w);
  }
  return f;
}

}  // namespace weft::passes
