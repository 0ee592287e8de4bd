#pragma once
// A graph as words, and back.

#include <bit>

#include "weft/core/words.hpp"
#include "weft/ir/graph.hpp"

namespace weft::ir {

constexpr void write(WordWriter& w, const Graph& g) {
  w.put_int(g.nodes.size());
  for (const Node& n : g.nodes) {
    w.put(static_cast<u64>(n.op) | static_cast<u64>(n.dtype) << 8 | static_cast<u64>(n.recompute) << 16 |
          static_cast<u64>(n.arity) << 32);
    w.put_pair(n.shape, n.list);
    w.put_pair(n.first, 0);
    w.put(n.imm);
  }
  w.put_int(g.edges.size());
  for (int k = 0; k < g.edges.size(); k += 2)
    w.put_pair(g.edges[k], k + 1 < g.edges.size() ? g.edges[k + 1] : 0);
  w.put_int(g.shapes.size());
  for (const Dims& d : g.shapes) {
    w.put_int(d.rank);
    for (int k = 0; k < d.rank; ++k) w.put_int(d.extent[k]);
  }
  w.put_int(g.lists.size());
  for (const Span& s : g.lists) w.put_pair(s.begin, s.size);
  w.put_int(g.list_data.size());
  for (i64 x : g.list_data) w.put_int(x);
  w.put_int(g.slots.size());
  for (const Slot& s : g.slots) {
    w.put(static_cast<u64>(s.space) | static_cast<u64>(s.dtype) << 8 |
          static_cast<u64>(static_cast<u32>(s.shape)) << 16);
    w.put_int(s.segments);
    w.put_int(s.offset);
  }
  w.put_int(g.groups.size());
  for (const Span& s : g.groups) w.put_pair(s.begin, s.size);
  w.put_int(g.ranges.size());
  for (const Range& r : g.ranges) w.put_int(r.offset), w.put_int(r.length);
  w.put_int(g.presets.size());
  for (const Preset& p : g.presets) w.put_pair(p.scalar, std::bit_cast<int>(p.value));
  w.put_int(g.inputs.size());
  for (int x : g.inputs) w.put_int(x);
  w.put_int(g.outputs.size());
  for (int x : g.outputs) w.put_int(x);
  w.put_int(g.assigns.size());
  for (const Assign& a : g.assigns) w.put_pair(a.slot, a.node);
  w.put_int(g.model_bytes);
  w.put_int(g.optimizer_bytes);
  w.put_pair(g.scalar_count, g.streams);
}

constexpr Graph read_graph(WordReader& r) {
  using R = WordReader;
  Graph g;
  g.nodes.resize(r.get_size());
  for (Node& n : g.nodes) {
    const u64 a = r.get(), b = r.get(), c = r.get();
    n.op = static_cast<Op>(a & 255);
    n.dtype = static_cast<DType>(a >> 8 & 255);
    n.recompute = static_cast<u16>(a >> 16 & 0xffff);
    n.arity = R::high(a);
    n.shape = R::low(b);
    n.list = R::high(b);
    n.first = R::low(c);
    n.imm = r.get();
  }
  g.edges.resize(r.get_size());
  for (int k = 0; k < g.edges.size(); k += 2) {
    const u64 w = r.get();
    g.edges[k] = R::low(w);
    if (k + 1 < g.edges.size()) g.edges[k + 1] = R::high(w);
  }
  g.shapes.resize(r.get_size());
  for (Dims& d : g.shapes) {
    d.rank = r.get_size();
    for (int k = 0; k < d.rank; ++k) d.extent[k] = r.get_int();
  }
  const auto spans = [&](List<Span>& list) {
    list.resize(r.get_size());
    for (Span& s : list) {
      const u64 w = r.get();
      s = {R::low(w), R::high(w)};
    }
  };
  spans(g.lists);
  g.list_data.resize(r.get_size());
  for (i64& x : g.list_data) x = r.get_int();
  g.slots.resize(r.get_size());
  for (Slot& s : g.slots) {
    const u64 w = r.get();
    s.space = static_cast<Space>(w & 255);
    s.dtype = static_cast<DType>(w >> 8 & 255);
    s.shape = static_cast<int>(w >> 16);
    s.segments = static_cast<int>(r.get_int());
    s.offset = r.get_int();
  }
  spans(g.groups);
  g.ranges.resize(r.get_size());
  for (Range& x : g.ranges) x.offset = r.get_int(), x.length = r.get_int();
  g.presets.resize(r.get_size());
  for (Preset& p : g.presets) {
    const u64 w = r.get();
    p = {R::low(w), std::bit_cast<f32>(R::high(w))};
  }
  const auto ints = [&](List<int>& list) {
    list.resize(r.get_size());
    for (int& x : list) x = static_cast<int>(r.get_int());
  };
  ints(g.inputs);
  ints(g.outputs);
  g.assigns.resize(r.get_size());
  for (Assign& a : g.assigns) {
    const u64 w = r.get();
    a = {R::low(w), R::high(w)};
  }
  g.model_bytes = r.get_int();
  g.optimizer_bytes = r.get_int();
  const u64 w = r.get();
  g.scalar_count = R::low(w);
  g.streams = R::high(w);
  return g;
}

constexpr Graph thaw(const u64* words) {
  WordReader r(words);
  return read_graph(r);
}

}  // namespace weft::ir
