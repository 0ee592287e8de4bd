#pragma once
// What each group of a fusion computes, reads and writes: from its stores back to memory, in ascending order.

#include "weft/passes/fuse.hpp"

namespace weft::passes {

class Collector {
 public:
  constexpr Collector(const Graph& graph, Fusion& fusion) : g(graph), f(fusion) {}

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
          if (seen[edges_[nodes_[x].first + 0]] != k) seen[edges_[nodes_[x].first + 0]] = k, loads.push(edges_[nodes_[x].first + 0]);
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
  const Graph& g;
  Fusion& f;
  // plain pointers: constant evaluation pays for every call
  const Node* nodes_ = g.nodes.data();
  const int* edges_ = g.edges.data();
  const Role* role_ = f.role.data();
  const int* group_ = f.group.data();
  const u8* stored_ = f.stored.data();
  const int* view_of_ = f.view_of.data();
};

constexpr void collect(const Graph& graph, Fusion& fusion) { Collector(graph, fusion).collect(); }

constexpr Fusion fuse(const Graph& graph, FuseLimits limits = {}) {
  Fusion fusion = assign_groups(graph, limits);
  collect(graph, fusion);
  return fusion;
}

}  // namespace weft::passes
