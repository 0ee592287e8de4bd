#pragma once
// What crosses groups in memory, and what is rather made again; then what each group computes, reads and
// writes, from its stores back to memory, in ascending order.

#include "weft/passes/fuse.hpp"

namespace weft::passes {

class Collector {
 public:
  constexpr Collector(const Graph& graph, Fusion& fusion, FuseLimits limits)
      : g(graph), f(fusion), limits_(limits) {}

  constexpr void decide_stores() {
    const int n = g.nodes.size();
    List<u8> crosses(n, 0);
    for (int u = 0; u < n; ++u) {
      if (role_[u] != Role::fused || view_of_[u] >= 0) continue;
      const int first = nodes_[u].first, arity = nodes_[u].arity;
      for (int k = 0; k < arity; ++k) {
        int x = edges_[first + k];
        x = through_broadcasts(x);
        if (role_[x] == Role::fused && group_[x] != group_[u]) crosses[x] = 1;
      }
    }
    for (int v = 0; v < n; ++v)
      if (crosses[v] && !stored_[v] && !cheap_again(v)) stored_[v] = 1;
  }

  // Whether v can be made again in a later group from what is in memory; stores the small values that takes.
  constexpr bool cheap_again(int v) {
    if (!ir::is_pointwise(nodes_[v].op)) return false;
    int stack[64]{}, size = 0, cost = 0, loads = 0, rows[8]{}, row_count = 0;
    int seen[64]{}, seen_count = 0;
    stack[size++] = v;
    while (size > 0) {
      const int x = through_broadcasts(stack[--size]);
      bool visited = false;
      for (int k = 0; k < seen_count; ++k) visited = visited || seen[k] == x;
      if (visited) continue;
      if (seen_count == 64) return false;
      seen[seen_count++] = x;
      if (role_[x] == Role::generator || role_[x] == Role::inlined) continue;
      if (stored_[x] || role_[x] == Role::view) {
        if (2 * shapes_[nodes_[x].shape].size() > shapes_[nodes_[v].shape].size() &&
            ++loads > limits_.recompute_loads)
          return false;
        continue;
      }
      if (ir::is_reduction(nodes_[x].op)) {
        if (row_count == 8) return false;
        rows[row_count++] = x;
        continue;
      }
      if (!ir::is_pointwise(nodes_[x].op)) return false;
      cost += ir::info(nodes_[x].op).cost;
      if (cost > limits_.recompute || size + 3 > 64) return false;
      for (int k = 0; k < nodes_[x].arity; ++k) stack[size++] = edges_[nodes_[x].first + k];
    }
    for (int k = 0; k < row_count; ++k) stored_[rows[k]] = 1;
    return true;
  }

  constexpr void collect() {
    const int n = g.nodes.size();
    List<int> seen(n, -1);
    List<int> work, body, loads, stores;
    // members of each group, as linked lists in ascending order
    List<int> first(f.groups.size(), -1), next(n, -1);
    for (int i = n - 1; i >= 0; --i)
      if (group_[i] >= 0 && stored_[i]) next[i] = first[group_[i]], first[group_[i]] = i;
    for (int k = 0; k < f.groups.size(); ++k) {
      Group& group = f.groups[k];
      if (group.opaque >= 0) {
        stores.clear();
        stores.push(group.opaque);
        group.stores = append(stores);
        loads.clear();
        const Node& node = nodes_[group.opaque];
        for (int a = 0; a < node.arity; ++a) loads.push(edges_[node.first + a]);
        group.loads = append(loads);
        continue;
      }
      body.clear();
      loads.clear();
      stores.clear();
      for (int i = first[k]; i >= 0; i = next[i]) {
        stores.push(i);
        work.push(i);
      }
      while (!work.empty()) {
        const int x = work.back();
        work.pop();
        if (seen[x] == k) continue;
        seen[x] = k;
        const bool here = f.is_view_in(x, k)        ? nodes_[x].op == Op::broadcast
                          : role_[x] == Role::fused ? group_[x] >= k || !stored_[x]
                                                    : !stored_[x];
        if (!here) {
          loads.push(x);
          continue;
        }
        body.push(x);
        // copies and windows read memory through a view: one load, of the operand
        if (role_[x] == Role::fused && view_of_[x] >= 0 && !f.is_view_in(x, k)) continue;
        if (role_[x] == Role::fused && nodes_[x].op == Op::pad) continue;
        if (group.odd && ir::is_reduction(nodes_[x].op)) {
          if (seen[edges_[nodes_[x].first + 0]] != k)
            seen[edges_[nodes_[x].first + 0]] = k, loads.push(edges_[nodes_[x].first + 0]);
          continue;
        }
        const Node& node = nodes_[x];
        for (int a = 0; a < node.arity; ++a) work.push(edges_[node.first + a]);
      }
      sort(body, [](int a, int b) { return a < b; });
      sort(loads, [](int a, int b) { return a < b; });
      group.body = append(body);
      group.loads = append(loads);
      group.stores = append(stores);
    }
  }

  constexpr ir::Span append(const List<int>& list) {
    const ir::Span span{f.pool.size(), list.size()};
    for (int x : list) f.pool.push(x);
    return span;
  }

 private:
  constexpr int through_broadcasts(int x) const {
    while (role_[x] == Role::view && nodes_[x].op == Op::broadcast) x = edges_[nodes_[x].first];
    return x;
  }

  const Graph& g;
  Fusion& f;
  FuseLimits limits_;
  // plain pointers: constant evaluation pays for every call
  const Node* nodes_ = g.nodes.data();
  const int* edges_ = g.edges.data();
  const Role* role_ = f.role.data();
  const int* group_ = f.group.data();
  const Dims* shapes_ = g.shapes.data();
  u8* stored_ = f.stored.data();
  const int* view_of_ = f.view_of.data();
};

constexpr void collect(const Graph& graph, Fusion& fusion, FuseLimits limits = {}) {
  Collector collector(graph, fusion, limits);
  collector.decide_stores();
  collector.collect();
}

constexpr Fusion fuse(const Graph& graph, FuseLimits limits = {}) {
  Fusion fusion = assign_groups(graph, limits);
  collect(graph, fusion, limits);
  return fusion;
}

}  // namespace weft::passes
