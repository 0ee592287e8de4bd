#pragma once
// What crosses kernels in memory, and what is rather rematerialized; then what each kernel computes, reads
// and writes, from its stores back to memory, in ascending order.

#include "weft/kernel_ir/fuse.hpp"
#include "weft/kernel_ir/padded_rows.hpp"
#include "weft/kernel_ir/reuse.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

class Collector {
 public:
  constexpr Collector(const Graph& graph, Fusion& fusion, FuseLimits limits)
      : g(graph), f(fusion), limits_(limits), reuse_(graph) {}

  constexpr void decide_stores() {
    const int n = g.nodes.size();
    List<u8> crosses(n, 0);
    for (int u = 0; u < n; ++u) {
      if (materialization_[u] != Materialization::fused || view_of_[u] >= 0) continue;
      const int first = nodes_[u].first, arity = nodes_[u].arity;
      for (int k = 0; k < arity; ++k) {
        int x = edges_[first + k];
        x = through_broadcasts(x);
        if (materialization_[x] == Materialization::fused && kernel_of_[x] != kernel_of_[u]) crosses[x] = 1;
      }
    }
    for (int v = 0; v < n; ++v)
      if (crosses[v] && !stored_[v] && !cheap_again(v)) stored_[v] = 1;
  }

  // Whether v can be rematerialized in a later kernel from what is in memory; stores the small values that
  // takes.
  constexpr bool cheap_again(int v) {
    if (!ir::is_pointwise(nodes_[v].op) && nodes_[v].op != Op::pad) return false;
    int stack[64]{}, size = 0, cost = 0, generated = 0, loads = 0, operands = 0, rows[8]{}, row_count = 0;
    int seen[64]{}, seen_count = 0;
    const bool many = reuse_.may_be_worth_storing(v);
    stack[size++] = v;
    while (size > 0) {
      const int x = through_broadcasts(stack[--size]);
      bool visited = false;
      for (int k = 0; k < seen_count; ++k) visited = visited || seen[k] == x;
      if (visited) continue;
      if (seen_count == 64) return false;
      seen[seen_count++] = x;
      if (nodes_[x].op == Op::constant || nodes_[x].op == Op::iota) continue;
      if (materialization_[x] == Materialization::inlined ||
          materialization_[x] == Materialization::generator) {
        if (many && materialization_[x] == Materialization::generator) generated += reuse_.generator_cost(x);
        operands += 4;  // about: it may be made of several, or of as many random streams
        if (operands > limits_.recompute_operands) return false;
        continue;
      }
      if (stored_[x] || materialization_[x] == Materialization::view) {
        if (is_gathered(x)) return false;
        if (++operands > limits_.recompute_operands) return false;
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
      if (nodes_[x].op == Op::pad) {  // a window on what is in memory
        if (2 * shapes_[nodes_[edges_[nodes_[x].first]].shape].size() > shapes_[nodes_[v].shape].size() &&
            ++loads > limits_.recompute_loads)
          return false;
        continue;
      }
      if (!ir::is_pointwise(nodes_[x].op)) return false;
      cost += ir::info(nodes_[x].op).cost;
      if (cost > limits_.recompute || size + 3 > 64) return false;
      for (int k = 0; k < nodes_[x].arity; ++k) stack[size++] = edges_[nodes_[x].first + k];
    }
    if (many && reuse_.is_worth_storing(v, cost + generated)) return false;
    for (int k = 0; k < row_count; ++k) stored_[rows[k]] = 1;
    return true;
  }

  // Whether x is of what is gathered for those who read it now, and is not to be kept for others.
  constexpr bool is_gathered(int x) const {
    const bool is_view = materialization_[x] == Materialization::view && view_of_[x] >= 0;
    return nodes_[is_view ? f.views[view_of_[x]].root : x].op == Op::all_gather_done;
  }

  // One sweep over the nodes from the last to the first: a node hears from its users in which kernels it is
  // wanted before it asks its own operands, and every list comes out in ascending order.
  constexpr void collect() {
    const int n = g.nodes.size(), kernels = f.kernels.size();
    Kernel* const kernel = f.kernels.data();
    List<int> wanted_list(n, -1), next_list(n, -1), body_list(kernels, -1), load_list(kernels, -1),
        store_list(kernels, -1), mark_list(kernels, -1);
    int* const wanted = wanted_list.data();  // first entry of each node
    int* const next_store = next_list.data();
    int* const body = body_list.data();
    int* const loads = load_list.data();
    int* const stores = store_list.data();
    int* const mark = mark_list.data();  // the last node that each kernel has listed
    // An entry says in which kernel a node is wanted (twice the kernel, plus one where it is read from memory
    // whatever it is); then it holds the node, as a member of one of that kernel's lists.
    List<int> wish_list, link_list;
    int capacity = 0, entries = 0, listed = 0;
    int *wish = nullptr, *link = nullptr;
    const auto room = [&](int more) {
      capacity = 2 * (entries + more) + 2 * n;
      for (List<int>* list : {&wish_list, &link_list}) {
        List<int> longer;
        longer.reserve(capacity);
        longer.append(list->data(), entries);
        *list = static_cast<List<int>&&>(longer);
      }
      wish = wish_list.data(), link = link_list.data();
    };
    for (int x = n - 1; x >= 0; --x) {
      const Materialization materialization = materialization_[x];
      const int own = kernel_of_[x];
      const bool stored = stored_[x] != 0;
      const ir::Node& node = nodes_[x];
      if (own >= 0 && stored && kernel[own].opaque < 0) {
        next_store[x] = stores[own];
        stores[own] = x;
        if (entries == capacity) room(1);
        wish[entries] = 2 * own;
        link[entries] = wanted[x];
        wanted[x] = entries++;
        ++listed;
      }
      if (node.op == Op::result) {
        next_store[x] = stores[own];
        stores[own] = x;
      }
      const bool copy = materialization == Materialization::fused && view_of_[x] >= 0;
      for (int e = wanted[x]; e >= 0;) {
        const int at = e, k = wish[e] / 2;
        const bool read = wish[e] % 2 != 0;
        e = link[e];
        if (mark[k] == x) continue;
        mark[k] = x;
        ++listed;
        wish[at] = x;
        const bool view = materialization == Materialization::view || (copy && own > k);
        const bool here = read   ? false
                          : view ? node.op == Op::broadcast
                                 : (materialization == Materialization::fused && own >= k) || !stored;
        if (!here) {
          link[at] = loads[k];
          loads[k] = at;
          continue;
        }
        link[at] = body[k];
        body[k] = at;
        // copies and windows read memory through a view: one load, of the operand
        if ((copy && !view) || (materialization == Materialization::fused && node.op == Op::pad)) continue;
        const int* const in = edges_ + node.first;
        const int arity = node.arity,
                  asked = 2 * k + (kernel[k].middle_axis && ir::is_reduction(node.op) ? 1 : 0);
        if (entries + arity > capacity) room(arity);
        for (int a = 0; a < arity; ++a) {
          wish[entries] = asked;
          link[entries] = wanted[in[a]];
          wanted[in[a]] = entries++;
        }
      }
    }
    f.pool.reserve(listed + 4 * kernels);
    for (int k = 0; k < kernels; ++k) {
      if (kernel[k].opaque >= 0) {
        opaque_kernel(kernel[k]);
        if (ir::is_region(nodes_[kernel[k].opaque].op))
          kernel[k].stores = append(next_store, nullptr, stores[k]);
        continue;
      }
      kernel[k].body = append(link, wish, body[k]);
      kernel[k].loads = append(link, wish, loads[k]);
      kernel[k].stores = append(next_store, nullptr, stores[k]);
    }
  }

  // Whether a fused kernel keeps within the limits of operands, random streams and passes.
  constexpr bool fits(int k) {
    const Kernel& kernel = f.kernels.items[k];
    if (kernel.opaque >= 0) return true;
    int operands = kernel.loads.size + kernel.stores.size, streams = 0, reductions = 0;
    for (int i = 0; i < kernel.body.size; ++i) {
      const int x = f.pool.items[kernel.body.begin + i];
      const Op op = nodes_[x].op;
      streams += op == Op::random;
      reductions += ir::is_reduction(op) && f.level.items[x] == Level::row;
      operands += op == Op::random || op == Op::iota || op == Op::pad || view_of_[x] >= 0;
    }
    if (reductions > limits_.reductions) {
      if (phase_.empty()) phase_ = List<int>(g.nodes.size(), 0);
      if (f.phases(g, k, phase_.data()) > limits_.reductions) return false;
    }
    const int most = kernel.walk >= 0 ? limits_.walk_operands : limits_.kernel_operands;
    return operands + (streams > 0 ? 1 : 0) <= most && streams <= limits_.kernel_streams;
  }
  constexpr bool fits() {
    for (int k = 0; k < f.kernels.size(); ++k)
      if (!fits(k)) return false;
    return true;
  }
  // Counts for each member of a kernel that is too large.
  constexpr void tighten(List<int>& tight) {
    for (int k = 0; k < f.kernels.size(); ++k) {
      if (fits(k)) continue;
      for (int i = 0; i < f.kernels[k].body.size; ++i) ++tight[f.pool.items[f.kernels[k].body.begin + i]];
    }
  }

 private:
  constexpr void opaque_kernel(Kernel& kernel) {
    List<int> loads, stores;
    stores.push(kernel.result);
    kernel.stores = append(stores);
    const Node& node = nodes_[kernel.opaque];
    for (int a = 0; a < node.arity; ++a) loads.push(edges_[node.first + a]);
    if (kernel.added >= 0) loads.push(kernel.added);
    if (kernel.bias >= 0) loads.push(kernel.bias);
    kernel.loads = append(loads);
  }

  // A linked list: of entries, or of nodes themselves.
  constexpr ir::Span append(const int* link, const int* node, int first) {
    const int begin = f.pool.size();
    for (int e = first; e >= 0; e = link[e]) f.pool.push(node != nullptr ? node[e] : e);
    return {begin, f.pool.size() - begin};
  }
  constexpr ir::Span append(const List<int>& list) {
    const ir::Span span{f.pool.size(), list.size()};
    f.pool.append(list.data(), list.size());
    return span;
  }
  constexpr int through_broadcasts(int x) const {
    while (materialization_[x] == Materialization::view && nodes_[x].op == Op::broadcast)
      x = edges_[nodes_[x].first];
    return x;
  }

  const Graph& g;
  Fusion& f;
  FuseLimits limits_;
  Reuse reuse_;
  List<int> phase_;  // where it is asked for
  // plain pointers: constant evaluation pays for every call
  const Node* nodes_ = g.nodes.data();
  const int* edges_ = g.edges.data();
  const Materialization* materialization_ = f.materialization.data();
  const int* kernel_of_ = f.kernel_of.data();
  const Dims* shapes_ = g.shapes.data();
  u8* stored_ = f.stored.data();
  const int* view_of_ = f.view_of.data();
};

// Where a kernel turns out too large, less is made again; where that is not enough, kernels are
// formed anew, with fewer members in those that were too large, down to one.
constexpr void collect(const Graph& graph, Fusion& fusion, FuseLimits limits = {}) {
  constexpr int most_attempts = 9;
  List<int> tight;
  for (int attempt = 0;; ++attempt) {
    Collector collector(graph, fusion, limits);
    collector.decide_stores();
    collector.collect();
    if (attempt == most_attempts || collector.fits()) break;
    limits.recompute_operands = limits.few_operands;
    if (attempt == 0) {
      fusion.pool.clear();
      continue;
    }
    if (attempt == 1) tight = List<int>(graph.nodes.size(), 0);
    collector.tighten(tight);
    fusion = cluster(graph, limits, tight.data());
  }
  pad_rows(graph, fusion);
}

constexpr Fusion fuse(const Graph& graph, FuseLimits limits = {}) {
  Fusion fusion = cluster(graph, limits);
  collect(graph, fusion, limits);
  return fusion;
}

}  // namespace WEFT_NAMESPACE::kernel_ir
