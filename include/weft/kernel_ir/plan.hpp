#pragma once
// Makes the memory plan: an address for everything that is in memory, found by lifetime. A buffer is taken
// when its kernel runs and given back after its last reader; a kernel that reads an element and writes the
// same element of a dying buffer of equal size updates it in place, and so does one that writes a block of
// it. State that is assigned is written where it lives when no later reader is left, and copied at the end of
// the step otherwise.

#include "weft/ir/loop.hpp"
#include "weft/kernel_ir/first_fit.hpp"
#include "weft/kernel_ir/memory_plan.hpp"
#include "weft/kernel_ir/slot_overlap.hpp"

namespace WEFT_NAMESPACE::kernel_ir {

// Bytes that kernel k, a loop, needs beside its results (loop_memory.hpp).
constexpr i64 loop_scratch_bytes(const ir::Graph& g, const Fusion& f, const Plan& plan, int k);
// Of every output of its body whether it is computed where an input lies: a carry that stays in one buffer,
// a stacked output whose memory in `plan` is that of a stacked operand.
constexpr List<u8> loop_outputs_stay(const ir::Graph& g, const Fusion& f, const Plan& plan, int k);

class Planner {
 public:
  constexpr Planner(const ir::Graph& graph, const Fusion& fusion, const List<HeldOutput>& held)
      : g(graph), f(fusion), held_(held) {}

  constexpr Plan run() {
    const int n = g.nodes.size(), kernels = f.kernels.size();
    p.where = List<u64>(n, BufferAddress::none);
    for (u64& at : arena_at_) at = BufferAddress::none;
    last_use_ = List<int>(n, -1);
    arena_ = List<int>(n, -1);
    pinned_ = List<u8>(n, 0);
    phase_ = List<int>(n, 0);
    leaves();
    // lifetimes
    for (int k = 0; k < kernels; ++k) {
      if (kernels_[k].opaque >= 0 && nodes_[kernels_[k].opaque].op == ir::Op::loop) combine_before(k);
      const ir::Span loads = kernels_[k].loads;
      for (int i = 0; i < loads.size; ++i) touch(pool_[loads.begin + i], k);
      const ir::Span body = kernels_[k].body;
      for (int i = 0; i < body.size; ++i) {  // what copies and windows read is no load of its own
        const int x = pool_[body.begin + i];
        if (materialization_[x] != Materialization::fused || f.is_view_in(x, k)) continue;
        if (view_of_[x] >= 0)
          touch(views_[view_of_[x]].root, k);
        else if (nodes_[x].op == ir::Op::pad)
          touch(edges_[nodes_[x].first + 0], k);
      }
      p.tilings.push(kernels_[k].opaque >= 0 ? Tiling{} : tiler_.tiling(k));
    }
    if (combined_ < kernels) p.combines.push(kernels);
    for (int node : g.outputs) pinned_[root(node)] = 1;
    if (g.is_body) place_body_outputs();
    place_arenas();
    place_assigned();
    for (const ir::Assign& a : g.assigns)  // what is copied at the end of the step must last until then
      if (p.where[root(a.node)] == BufferAddress::none) pinned_[root(a.node)] = 1;
    // The gaps of an arena are zero from the start and must stay so: its memory is never another value's.
    for (int dtype = 0; dtype < 16; ++dtype)
      if (arena_size_[dtype] > 0) arena_at_[dtype] = allocate(arena_size_[dtype], kernels);
    // what a block's update in an arena is computed from is computed there
    for (int i = n - 1; i >= 0; --i)
      if (arena_[i] >= 0)
        if (const int from = updated_by(i); from >= 0)
          arena_[from] = arena_[i], arena_offset(from, offsets_[i]);
    const int* combine = p.combines.data();
    for (int k = 0; k < kernels; ++k) {
      if (k > 0) memory_.release(k - 1);
      const Kernel& kernel = kernels_[k];
      Tiling& tiling = p.tilings[k];
      while (*combine <= k) ++combine;
      for (int i = 0; i < kernel.stores.size; ++i) {
        const int node = pool_[kernel.stores.begin + i];
        if (p.where[node] != BufferAddress::none) continue;
        if (arena_[node] >= 0) {
          place_in_arena(node);
        } else if (!in_place(node, k)) {
          const int written = is_split_sum(level_[node], tiling) ? *combine - 1 : k;
          p.where[node] = allocate(f.stored_bytes(g, node), pinned_[node]               ? kernels
                                                            : last_use_[node] < written ? written
                                                                                        : last_use_[node]);
        }
      }
      if (tiling.parts() > 1) {
        const i64 bytes = tiling.chunks * tiler_.sums(kernel, tiling);
        if (bytes > 0) tiling.partials = allocate(bytes, *combine - 1);
      }
      if (kernel.opaque >= 0) {
        const i64 bytes = nodes_[kernel.opaque].op == ir::Op::loop ? loop_scratch_bytes(g, f, p, k)
                                                                   : ir::scratch_bytes(g, kernel.opaque);
        if (bytes > 0) tiling.partials = allocate(bytes, k);
      }
    }
    // values that must lie in an arena but could not be put there
    for (int i = 0; i < n; ++i)
      if (nodes_[i].op == ir::Op::flat_concat) concat_copies(i);
    for (const ir::Assign& a : g.assigns) copy_to_slot(p, g, a, address(a.node), kernels);
    for (int k = 0; k < g.outputs.size(); ++k) {
      const u64 from = address(g.outputs[k]), to = BufferAddress::make(ir::Space::output, 0, k);
      const int held = k < held_.size() ? held_[k].input : -1;
      const bool stays = held >= 0 && from == BufferAddress::make(ir::Space::input, 0, held) &&
                         materialization_[root(g.outputs[k])] != Materialization::leaf;
      p.outputs.push(g.is_body && !stays ? to : from);
      const i64 bytes = bytes_of(g, g.outputs[k]);
      if (g.is_body && !stays && from != to && bytes > 0) p.copies.push({from, to, bytes, kernels});
    }
    p.workspace_bytes = align_up(memory_.peak());
    return static_cast<Plan&&>(p);
  }

 private:
  constexpr int root(int x) const {
    while (materialization_[x] == Materialization::view)
      x = view_of_[x] >= 0 ? views_[view_of_[x]].root : edges_[nodes_[x].first + 0];
    return x;
  }
  // Where node x starts.
  constexpr u64 address(int x) const {
    if (materialization_[x] == Materialization::view && view_of_[x] >= 0) {
      const View& v = views_[view_of_[x]];
      return p.where[v.root] + static_cast<u64>(v.offset * size_of(nodes_[x].dtype));
    }
    return p.where[x];
  }

  // As root, of what kernel k reads.
  constexpr int root_in(int x, int k) const {
    while (f.is_view_in(x, k)) x = view_of_[x] >= 0 ? views_[view_of_[x]].root : edges_[nodes_[x].first + 0];
    return x;
  }
  constexpr void touch(int x, int k) {
    x = root_in(x, k);
    if (last_use_[x] < k) last_use_[x] = k;
    const int made = kernel_of_[x];
    if (made >= combined_ && made < k && materialization_[x] == Materialization::fused &&
        is_split_sum(level_[x], p.tilings[made])) {
      combined_ = k;
      p.combines.push(k);
    }
    if (nodes_[x].op == ir::Op::flat_concat)
      for (int a = 0; a < nodes_[x].arity; ++a) touch(edges_[nodes_[x].first + a], k);
  }

  // No sum is still in parts when a loop begins, whose body has parts of its own.
  constexpr void combine_before(int k) {
    for (int made = combined_; made < k; ++made)
      for (int i = 0; i < kernels_[made].stores.size; ++i)
        if (is_split_sum(level_[pool_[kernels_[made].stores.begin + i]], p.tilings[made])) {
          combined_ = k;
          p.combines.push(k);
          return;
        }
  }

  constexpr void leaves() {
    for (int i = 0; i < g.nodes.size(); ++i) {
      const ir::Node& node = nodes_[i];
      if (node.op == ir::Op::input)
        p.where[i] = BufferAddress::make(ir::Space::input, 0, static_cast<int>(node.imm));
      else if (node.op == ir::Op::state)
        states_.add(i), p.where[i] = BufferAddress::make(g.slots[static_cast<int>(node.imm)].space,
                                                         g.slots[static_cast<int>(node.imm)].offset);
      else if (node.op == ir::Op::scalar)
        p.where[i] = BufferAddress::make(ir::Space::scalars, static_cast<i64>(node.imm) * 4);
    }
  }

  // ---- arenas: one buffer a dtype for all packs ----
  constexpr void place_arenas() {
    place_collectives();
    for (int i = 0; i < g.nodes.size(); ++i) {
      if (nodes_[i].op != ir::Op::flat_concat) continue;
      const int dtype = static_cast<int>(nodes_[i].dtype);
      const int written = i < overwritten_.size() ? overwritten_[i] : -1;
      constexpr i64 whole_arena = -1;
      if (static_cast<i64>(nodes_[i].imm) == whole_arena && arena_size_[dtype] < align_up(bytes_of(g, i)))
        arena_size_[dtype] =
            align_up(bytes_of(g, i));  // what is frozen, behind the last gradient, is read too
      for (int a = 0; a < nodes_[i].arity; ++a) {
        const int x = root(edges_[nodes_[i].first + a]);
        const i64 offset = g.attribute(i, a) * size_of(nodes_[i].dtype);
        const i64 bytes = bytes_of(g, edges_[nodes_[i].first + a]), end = align_up(offset + bytes);
        if (arena_size_[dtype] < end) arena_size_[dtype] = end;
        const bool whole = bytes_of(g, x) == bytes, read_behind = written >= 0 && last_use_[x] > written;
        const bool computed =
            materialization_[x] == Materialization::fused || materialization_[x] == Materialization::opaque;
        if (computed && whole && !read_behind && !pinned_[x] && arena_[x] < 0)
          arena_[x] = dtype, arena_offset(x, offset);
      }
    }
  }
  // What is summed over ranks lies in the arena before, meanwhile and after.
  constexpr void place_collectives() {
    for (int k = 0; k < f.kernels.size(); ++k) {
      const int i = kernels_[k].opaque;
      if (i < 0 || !ir::is_arena_collective(nodes_[i].op)) continue;
      const int from = edges_[nodes_[i].first];
      arena_[i] = static_cast<int>(nodes_[i].dtype);
      if (nodes_[i].op == ir::Op::all_reduce_done || nodes_[i].op == ir::Op::reduce_scatter_done) {
        arena_offset(i, offsets_[from]);
        continue;
      }
      arena_offset(i, g.attribute(i, 0) * size_of(nodes_[i].dtype));
      if (overwritten_.empty()) overwritten_ = List<int>(g.nodes.size(), -1);
      overwritten_[from] = k;
    }
  }
  constexpr void arena_offset(int x, i64 offset) {
    if (offsets_.empty()) offsets_ = List<i64>(g.nodes.size(), 0);
    offsets_[x] = offset;
  }
  constexpr void place_in_arena(int x) { p.where[x] = arena_at_[arena_[x]] + static_cast<u64>(offsets_[x]); }
  constexpr void concat_copies(int i) {
    const int dtype = static_cast<int>(nodes_[i].dtype);
    const u64 base = arena_at_[dtype];
    p.where[i] = base;
    for (int a = 0; a < nodes_[i].arity; ++a) {
      const int x = edges_[nodes_[i].first + a];
      const u64 to = base + static_cast<u64>(g.attribute(i, a) * size_of(nodes_[i].dtype));
      if (address(x) == to) continue;
      const int made = kernel_of_[root(x)];
      p.copies.push({address(x), to, bytes_of(g, x), combined(root(x), made)});
    }
  }

  // The kernel before which x, made by kernel `made`, is in memory.
  constexpr int combined(int x, int made) const {
    if (made < 0 || materialization_[x] != Materialization::fused ||
        !is_split_sum(level_[x], p.tilings[made]))
      return made + 1;
    for (int before : p.combines)
      if (before > made) return before;
    return f.kernels.size();
  }

  // ---- a loop's body: what it yields is computed where the loop wants it ----
  constexpr void place_body_outputs() {
    for (int k = 0; k < g.outputs.size(); ++k) {
      const int x = root(g.outputs[k]);
      const bool computed =
          materialization_[x] == Materialization::fused || materialization_[x] == Materialization::opaque;
      if (computed && p.where[x] == BufferAddress::none && bytes_of(g, x) == bytes_of(g, g.outputs[k]))
        place_carried(x, k);
    }
  }
  // A carry of which a trip writes blocks alone stays in one buffer, and so does state of which each trip
  // writes its slice.
  constexpr void place_carried(int x, int k) {
    int first = x;
    for (int from = updated_by(x); from >= 0; from = updated_by(from)) first = from;
    u64 to = BufferAddress::make(ir::Space::output, 0, k);
    const HeldOutput held = k < held_.size() ? held_[k] : HeldOutput{};
    const int in = held.input >= 0 ? g.inputs[held.input] : -1;
    if (in >= 0 && !pinned_[in]) {
      const bool dies = last_use_[in] == kernel_of_[first];
      const bool element = materialization_[x] == Materialization::fused && level_[x] == Level::element;
      if ((dies && updates_block(in, first)) ||
          (!held.carry && element &&
           (last_use_[in] < kernel_of_[x] || (dies && aligned(in, x, kernel_of_[x])))))
        to = p.where[in];
    }
    for (int at = x; at >= 0;) {
      const int from = updated_by(at);
      p.where[at] = to;
      at = from;
    }
  }

  // ---- state written where it lives ----
  constexpr void place_assigned() {
    states_.sort();
    for (const ir::Assign& a : g.assigns) {
      const int x = a.node;
      const bool computed =
          materialization_[x] == Materialization::fused || materialization_[x] == Materialization::opaque;
      if (!computed || p.where[x] != BufferAddress::none || arena_[x] >= 0 || pinned_[x]) continue;
      if (materialization_[x] == Materialization::fused && level_[x] != Level::element) continue;
      const bool updates = nodes_[x].op == ir::Op::dynamic_update_slice;
      if (!is_free(a.slot, x) || (!updates && !is_loop_result(x) && last_use_[x] > kernel_of_[x])) continue;
      p.where[x] = BufferAddress::make(g.slots[a.slot].space, g.slots[a.slot].offset);
      if (updates) place_updated(x, a.slot);
    }
  }
  // Whether x's kernel may write a slot: nothing reads the state that is there later, or reads it then but
  // where it is written.
  constexpr bool is_free(int number, int x) {
    const int k = kernel_of_[x];
    const ir::Slot& slot = g.slots[number];
    bool free = true;
    const auto look_at = [&](int i) {
      if (!free || last_use_[i] < k) return;
      const ir::Slot& other = states_.slot_of(i);
      if (other.space != slot.space || !overlap(g, slot, other)) return;
      const bool same = static_cast<int>(nodes_[i].imm) == number;
      free = same && last_use_[i] == k &&
             (materialization_[x] == Materialization::fused ? aligned(i, x, k)
                                                            : updates_block(i, x) || stays_in(i, x));
    };
    states_.each_near(slot, look_at);
    return free;
  }
  // What x, which lies in a slot, is a block's update of is computed there, too, if nothing else wants it.
  constexpr void place_updated(int x, int number) {
    if (assigned_.empty()) {
      assigned_ = List<u8>(g.nodes.size(), 0);
      for (const ir::Assign& a : g.assigns) assigned_[root(a.node)] = 1;
    }
    for (int from = updated_by(x); from >= 0 && !assigned_[from] && is_free(number, from);
         from = updated_by(from))
      p.where[from] = p.where[x];
  }
  // What x, a block's update, is computed from and nothing else wants, -1: there is none.
  constexpr int updated_by(int x) const {
    if (nodes_[x].op != ir::Op::dynamic_update_slice) return -1;
    const int from = root_in(edges_[nodes_[x].first], kernel_of_[x]);
    const bool computed =
        materialization_[from] == Materialization::opaque ||
        (materialization_[from] == Materialization::fused && level_[from] == Level::element);
    return computed && p.where[from] == BufferAddress::none && arena_[from] < 0 && !pinned_[from] &&
                   last_use_[from] == kernel_of_[x] && updates_block(from, x)
               ? from
               : -1;
  }
  // Whether x writes a block of what lies where node i does, and reads nothing else of it.
  constexpr bool updates_block(int i, int x) const {
    const int k = kernel_of_[x];
    if (nodes_[x].op != ir::Op::dynamic_update_slice || bytes_of(g, i) != bytes_of(g, x)) return false;
    for (int a = 0; a < nodes_[x].arity; ++a)
      if ((root_in(edges_[nodes_[x].first + a], k) == i) != (a == 0)) return false;
    return true;
  }
  constexpr bool is_loop_result(int x) const {
    return nodes_[x].op == ir::Op::result && nodes_[edges_[nodes_[x].first]].op == ir::Op::loop;
  }
  // Whether x, a loop's result, may lie where node i does, which the loop alone reads: a carry at its end
  // that starts from i, or the stack of what each trip makes of its slice of i.
  constexpr bool stays_in(int i, int x) {
    if (!is_loop_result(x) || bytes_of(g, i) != bytes_of(g, x)) return false;
    const int loop = edges_[nodes_[x].first], which = static_cast<int>(nodes_[x].imm);
    const ir::LoopShape shape = ir::loop_shape(g, loop);
    const bool carry = which < shape.carries;
    if (!carry && which < 2 * shape.carries) return false;  // a history
    int readers = 0;
    for (int a = 0; a < nodes_[loop].arity; ++a) {
      if (root_in(edges_[nodes_[loop].first + a], kernel_of_[x]) != i) continue;
      if (carry ? a != which : !shape.is_stacked(a)) return false;
      ++readers;
    }
    if (readers != 1) return false;
    if (asked_ != kernel_of_[x]) ask_loop(kernel_of_[x], loop, shape);
    return stays_[carry ? which : which - shape.carries] != 0;
  }
  // Which outputs of a loop stay, if all that are assigned to state lie there.
  constexpr void ask_loop(int k, int loop, const ir::LoopShape& shape) {
    asked_ = k;
    List<int> tried;
    for (const ir::Assign& a : g.assigns) {
      const ir::Node& node = nodes_[a.node];
      if (node.op != ir::Op::result || edges_[node.first] != loop || p.where[a.node] != BufferAddress::none ||
          static_cast<int>(node.imm) < 2 * shape.carries)
        continue;
      tried.push(a.node);
      p.where[a.node] = BufferAddress::make(g.slots[a.slot].space, g.slots[a.slot].offset);
    }
    stays_ = loop_outputs_stay(g, f, p, k);
    for (int x : tried) p.where[x] = BufferAddress::none;
  }
  // Whether kernel k reads node x's memory only at the element it is writing, as `like` is laid out.
  constexpr bool aligned(int x, int like, int k) {
    if (nodes_[x].shape != nodes_[like].shape || size_of(nodes_[x].dtype) != size_of(nodes_[like].dtype) ||
        (stored_[x] == stored_padded) != (stored_[like] == stored_padded))
      return false;
    if (level_[like] != Level::element) return false;
    if (phased_ != k) f.phases(g, k, phase_.data());
    phased_ = k;
    const ir::Span body = kernels_[k].body;
    for (int i = 0; i < body.size; ++i)
      if (phase_[pool_[body.begin + i]] > phase_[like]) return false;
    const ir::Span loads = kernels_[k].loads;
    for (int i = 0; i < loads.size; ++i) {
      const int load = pool_[loads.begin + i];
      if (load != x && root_in(load, k) == x &&
          !(shapes_[nodes_[load].shape].size() == shapes_[nodes_[like].shape].size() &&
            same_order(load, like, k)))
        return false;
    }
    for (int i = 0; i < body.size; ++i) {
      const int node = pool_[body.begin + i];
      if (materialization_[node] == Materialization::fused && view_of_[node] >= 0 &&
          views_[view_of_[node]].root == x)
        return false;
      if (nodes_[node].op == ir::Op::pad && root_in(edges_[nodes_[node].first + 0], k) == x) return false;
    }
    return true;
  }
  constexpr bool same_order(int load, int like, int k) const {
    if (!f.is_view_in(load, k) || view_of_[load] < 0) return true;
    const View& v = views_[view_of_[load]];
    if (v.offset != 0 || nodes_[load].shape != nodes_[like].shape) return false;
    const View whole = f.stored_view(g, like);
    bool same = true;
    for (int a = 0; a < v.rank; ++a)
      same = same && (shapes_[nodes_[like].shape].extent[a] == 1 || v.stride[a] == whole.stride[a]);
    return same;
  }

  // A dying buffer of the same size that kernel k reads element by element, or writes a block of, becomes the
  // result's; and what is gathered lies where that began.
  constexpr bool in_place(int node, int k) {
    const Kernel& kernel = kernels_[k];
    const bool gathered = nodes_[node].op == ir::Op::all_gather_done;
    const bool updates = nodes_[node].op == ir::Op::dynamic_update_slice;
    if (!updates && !gathered && (kernel.opaque >= 0 || kernel.middle_axis || level_[node] != Level::element))
      return false;
    for (int i = 0; i < kernel.loads.size; ++i) {
      const int x = root_in(pool_[kernel.loads.begin + i], k);
      const u64 at = p.where[x];
      if (at == BufferAddress::none || BufferAddress::space(at) != ir::Space::workspace || pinned_[x] ||
          last_use_[x] != k)
        continue;
      if (arena_[x] >= 0 || materialization_[x] == Materialization::arena ||
          bytes_of(g, x) != bytes_of(g, node))
        continue;
      if (!(gathered || (updates ? updates_block(x, node) : aligned(x, node, k)))) continue;
      const int last = pinned_[node] ? f.kernels.size() : last_use_[node] < k ? k : last_use_[node];
      if (!memory_.prolong(BufferAddress::offset(at), k, last)) continue;
      p.where[node] = at;
      last_use_[x] = k + 1;  // taken: no second result may have it
      return true;
    }
    return false;
  }

  constexpr u64 allocate(i64 bytes, int last) {
    return BufferAddress::make(ir::Space::workspace, memory_.allocate(bytes, last));
  }

  const ir::Graph& g;
  const Fusion& f;
  const List<HeldOutput>& held_;
  // plain pointers: constant evaluation pays for every call
  const ir::Node* nodes_ = g.nodes.data();
  const int* edges_ = g.edges.data();
  const Dims* shapes_ = g.shapes.data();
  const Materialization* materialization_ = f.materialization.data();
  const int* kernel_of_ = f.kernel_of.data();
  const Level* level_ = f.level.data();
  const u8* stored_ = f.stored.data();
  const int* view_of_ = f.view_of.data();
  const View* views_ = f.views.data();
  const Kernel* kernels_ = f.kernels.data();
  const int* pool_ = f.pool.data();
  Tiler tiler_{g, f};
  Plan p;
  List<int> last_use_, phase_, arena_;
  StateIndex states_{g};
  List<i64> offsets_;
  List<u8> pinned_;
  List<int> overwritten_;  // of each flat_concat that a collective works on, the kernel of that
  List<u8> assigned_;      // memory of what is assigned, once it is asked for
  FirstFit memory_{f.kernels.size()};
  int combined_ = 0;  // sums of the kernels before this one are no longer in parts
  int phased_ = -1;   // the kernel that phase_ speaks of
  int asked_ = -1;    // the loop whose outputs stays_ speaks of
  List<u8> stays_;
  i64 arena_size_[16]{};
  u64 arena_at_[16]{};
};

constexpr Plan plan_memory(const ir::Graph& graph, const Fusion& fusion, const List<HeldOutput>& held = {}) {
  return Planner(graph, fusion, held).run();
}

}  // namespace WEFT_NAMESPACE::kernel_ir

#include "weft/kernel_ir/loop_memory.hpp"
