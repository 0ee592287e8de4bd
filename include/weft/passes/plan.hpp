#pragma once
// The memory plan: an address for everything that is in memory, found by lifetime. A buffer is taken when its
// group runs and given back after its last reader; a kernel that reads an element and writes the same element
// of a dying buffer of equal size updates it in place. State that is assigned is written where it lives when
// no later reader is left, and copied at the end of the step otherwise.

#include "weft/passes/collect.hpp"

namespace weft::passes {

// An address: space, input or output number, byte offset in the space.
struct Address {
  static constexpr u64 none = ~u64{0};
  static constexpr u64 make(ir::Space space, i64 offset, int index = 0) {
    return static_cast<u64>(space) << 56 | static_cast<u64>(index) << 40 | static_cast<u64>(offset);
  }
  static constexpr ir::Space space(u64 a) { return static_cast<ir::Space>(a >> 56); }
  static constexpr int index(u64 a) { return static_cast<int>(a >> 40 & 0xffff); }
  static constexpr i64 offset(u64 a) { return static_cast<i64>(a & ((u64{1} << 40) - 1)); }
};

inline constexpr i64 alignment = 256;
constexpr i64 align_up(i64 bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// How a loop group is cut: `chunks` pieces of rows_per_chunk rows, each one unit of work. Chosen by size
// alone.
struct Cut {
  i64 rows = 1, cols = 1;
  i64 rows_per_chunk = 1, chunks = 1;
  int split = 0;                 // axes of the space from this one on are columns
  bool flat = false;             // a one-dimensional walk in tiles of `cols`, the last one ragged
  int segments = -1;             // >= 0: the walk follows that parameter group's ranges
  u64 partials = Address::none;  // chunks x (elements of every sum along the rows)
};

struct Copy {
  u64 from = 0, to = 0;
  i64 bytes = 0;
  int before = 0;  // runs before this group
};

struct Plan {
  List<u64> where;  // of every node in memory
  List<Cut> cuts;   // of every group
  List<Copy> copies;
  List<int> finishes;  // before which groups the sums that are still in parts are put together, ascending
  List<u64> outputs;
  i64 workspace_bytes = 0;

  // Where a view of elements of dtype `t` begins.
  constexpr u64 address(const View& v, DType t) const {
    return where[v.root] + static_cast<u64>(v.offset * size_of(t));
  }
};

inline constexpr i64 flat_tile = 4096;
inline constexpr i64 chunk_elements = 16384;

constexpr i64 bytes_of(const ir::Graph& g, int node) {
  return g.dims(node).size() * size_of(g.nodes[node].dtype);
}

// A sum along the rows is left in parts, one a chunk, until something needs it.
constexpr bool is_split_sum(Level level, const Cut& cut) {
  return cut.chunks > 1 && (level == Level::column_sum || level == Level::total);
}
// Bytes of one part of node x, 64-byte aligned.
constexpr i64 part_bytes(const ir::Graph& g, int x) { return (bytes_of(g, x) + 63) / 64 * 64; }
// Bytes that group k, a loop, needs beside its results (loop_memory.hpp).
constexpr i64 loop_scratch_bytes(const ir::Graph& g, const Fusion& f, int k);

class Planner {
 public:
  constexpr Planner(const ir::Graph& graph, const Fusion& fusion) : g(graph), f(fusion) {}

  constexpr Plan run() {
    const int n = g.nodes.size(), groups = f.groups.size();
    p.where = List<u64>(n, Address::none);
    last_use_ = List<int>(n, -1);
    arena_ = List<int>(n, -1);
    pinned_ = List<u8>(n, 0);
    phase_ = List<int>(n, 0);
    expires_at_ = List<int>(groups + 1, -1);
    gaps_.push({0, 0, 1});
    gaps_.push({0, i64{1} << 62, -1});
    leaves();
    // lifetimes
    for (int k = 0; k < groups; ++k) {
      if (groups_[k].opaque >= 0 && nodes_[groups_[k].opaque].op == ir::Op::loop) finish_before(k);
      const ir::Span loads = groups_[k].loads;
      for (int i = 0; i < loads.size; ++i) touch(pool_[loads.begin + i], k);
      const ir::Span body = groups_[k].body;
      for (int i = 0; i < body.size; ++i) {  // what copies and windows read is no load of its own
        const int x = pool_[body.begin + i];
        if (role_[x] != Role::fused || f.is_view_in(x, k)) continue;
        if (view_of_[x] >= 0)
          touch(views_[view_of_[x]].root, k);
        else if (nodes_[x].op == ir::Op::pad)
          touch(edges_[nodes_[x].first + 0], k);
      }
      p.cuts.push(groups_[k].opaque >= 0 ? Cut{} : cut_of(k));
    }
    if (finished_ < groups) p.finishes.push(groups);
    for (int node : g.outputs) pinned_[root(node)] = 1;
    if (g.is_body) place_body_outputs();
    place_arenas();
    place_assigned();
    for (const ir::Assign& a : g.assigns)  // what is copied at the end of the step must last until then
      if (p.where[root(a.node)] == Address::none) pinned_[root(a.node)] = 1;
    // The gaps of an arena are zero from the start and must stay so: its memory is never another value's.
    for (int dtype = 0; dtype < 16; ++dtype)
      if (arena_size_[dtype] > 0) arena_at_[dtype] = allocate(arena_size_[dtype], groups);
    const int* finish = p.finishes.data();
    for (int k = 0; k < groups; ++k) {
      release(k);
      const Group& group = groups_[k];
      Cut& cut = p.cuts[k];
      while (*finish <= k) ++finish;
      for (int i = 0; i < group.stores.size; ++i) {
        const int node = pool_[group.stores.begin + i];
        if (p.where[node] != Address::none) continue;
        if (arena_[node] >= 0) {
          place_in_arena(node);
        } else if (!in_place(node, k)) {
          const int written = is_split_sum(level_[node], cut) ? *finish - 1 : k;
          p.where[node] = allocate(bytes_of(g, node), pinned_[node]               ? groups
                                                      : last_use_[node] < written ? written
                                                                                  : last_use_[node]);
        }
      }
      if (cut.chunks > 1) {
        const i64 bytes = cut.chunks * sums(group);
        if (bytes > 0) cut.partials = allocate(bytes, *finish - 1);
      }
      if (group.opaque >= 0) {
        const i64 bytes = nodes_[group.opaque].op == ir::Op::loop ? loop_scratch_bytes(g, f, k)
                                                                  : ir::scratch_bytes(g, group.opaque);
        if (bytes > 0) cut.partials = allocate(bytes, k);
      }
    }
    // values that must lie in an arena but could not be put there
    for (int i = 0; i < n; ++i)
      if (nodes_[i].op == ir::Op::pack) pack_copies(i);
    for (const ir::Assign& a : g.assigns) {
      const u64 to = Address::make(g.slots[a.slot].space, g.slots[a.slot].offset);
      const u64 from = address(a.node);
      if (from != to) p.copies.push({from, to, bytes_of(g, a.node), groups});
    }
    for (int k = 0; k < g.outputs.size(); ++k) {
      const u64 from = address(g.outputs[k]), to = Address::make(ir::Space::output, 0, k);
      p.outputs.push(g.is_body ? to : from);
      if (g.is_body && from != to) p.copies.push({from, to, bytes_of(g, g.outputs[k]), groups});
    }
    p.workspace_bytes = align_up(peak_);
    return static_cast<Plan&&>(p);
  }

 private:
  constexpr int root(int x) const {
    while (role_[x] == Role::view)
      x = view_of_[x] >= 0 ? views_[view_of_[x]].root : edges_[nodes_[x].first + 0];
    return x;
  }
  // Where node x starts.
  constexpr u64 address(int x) const {
    if (role_[x] == Role::view && view_of_[x] >= 0) {
      const View& v = views_[view_of_[x]];
      return p.where[v.root] + static_cast<u64>(v.offset * size_of(nodes_[x].dtype));
    }
    return p.where[x];
  }

  // As root, of what group k reads.
  constexpr int root_in(int x, int k) const {
    while (f.is_view_in(x, k)) x = view_of_[x] >= 0 ? views_[view_of_[x]].root : edges_[nodes_[x].first + 0];
    return x;
  }
  constexpr void touch(int x, int k) {
    x = root_in(x, k);
    if (last_use_[x] < k) last_use_[x] = k;
    const int made = group_[x];
    if (made >= finished_ && made < k && role_[x] == Role::fused && is_split_sum(level_[x], p.cuts[made])) {
      finished_ = k;
      p.finishes.push(k);
    }
    if (nodes_[x].op == ir::Op::pack)
      for (int a = 0; a < nodes_[x].arity; ++a) touch(edges_[nodes_[x].first + a], k);
  }

  // No sum is still in parts when a loop begins, whose body has parts of its own.
  constexpr void finish_before(int k) {
    for (int made = finished_; made < k; ++made)
      for (int i = 0; i < groups_[made].stores.size; ++i)
        if (is_split_sum(level_[pool_[groups_[made].stores.begin + i]], p.cuts[made])) {
          finished_ = k;
          p.finishes.push(k);
          return;
        }
  }

  constexpr void leaves() {
    for (int i = 0; i < g.nodes.size(); ++i) {
      const ir::Node& node = nodes_[i];
      if (node.op == ir::Op::input)
        p.where[i] = Address::make(ir::Space::input, 0, static_cast<int>(node.imm));
      else if (node.op == ir::Op::state)
        states_.push(i), p.where[i] = Address::make(g.slots[static_cast<int>(node.imm)].space,
                                                    g.slots[static_cast<int>(node.imm)].offset);
      else if (node.op == ir::Op::scalar)
        p.where[i] = Address::make(ir::Space::scalars, static_cast<i64>(node.imm) * 4);
    }
  }

  // How many passes over its row group k has made before it computes each member. What it reads from memory
  // is there from the start, whatever made it.
  constexpr void phases(int k) {
    if (phased_ == k) return;
    phased_ = k;
    const ir::Span body = groups_[k].body, loads = groups_[k].loads;
    for (int i = 0; i < loads.size; ++i) phase_[pool_[loads.begin + i]] = 0;
    for (int i = 0; i < body.size; ++i) {
      const int x = pool_[body.begin + i];
      int phase = 0;
      const ir::Node& node = nodes_[x];
      const bool reads =
          role_[x] == Role::fused && !f.is_view_in(x, k) && (view_of_[x] >= 0 || node.op == ir::Op::pad);
      for (int a = 0; !reads && a < node.arity; ++a) {
        const int in = edges_[node.first + a];
        if (phase < phase_[in]) phase = phase_[in];
      }
      phase_[x] = phase + (ir::is_reduction(node.op) && level_[x] == Level::row ? 1 : 0);
    }
  }

  // ---- arenas: one buffer a dtype for all packs ----
  constexpr void place_arenas() {
    for (int i = 0; i < g.nodes.size(); ++i) {
      if (nodes_[i].op != ir::Op::pack) continue;
      const int dtype = static_cast<int>(nodes_[i].dtype);
      for (int a = 0; a < nodes_[i].arity; ++a) {
        const int x = root(edges_[nodes_[i].first + a]);
        const i64 offset = g.attribute(i, a) * size_of(nodes_[i].dtype);
        const i64 end = align_up(offset + bytes_of(g, x));
        if (arena_size_[dtype] < end) arena_size_[dtype] = end;
        const bool whole = bytes_of(g, x) == bytes_of(g, edges_[nodes_[i].first + a]);
        const bool computed = role_[x] == Role::fused || role_[x] == Role::opaque;
        if (computed && whole && !pinned_[x] && arena_[x] < 0) arena_[x] = dtype, arena_offset(x, offset);
      }
    }
  }
  constexpr void arena_offset(int x, i64 offset) {
    if (offsets_.empty()) offsets_ = List<i64>(g.nodes.size(), 0);
    offsets_[x] = offset;
  }
  constexpr void place_in_arena(int x) { p.where[x] = arena_at_[arena_[x]] + static_cast<u64>(offsets_[x]); }
  constexpr void pack_copies(int i) {
    const int dtype = static_cast<int>(nodes_[i].dtype);
    const u64 base = arena_at_[dtype];
    p.where[i] = base;
    for (int a = 0; a < nodes_[i].arity; ++a) {
      const int x = edges_[nodes_[i].first + a];
      const u64 to = base + static_cast<u64>(g.attribute(i, a) * size_of(nodes_[i].dtype));
      if (address(x) == to) continue;
      const int made = group_[root(x)];
      p.copies.push({address(x), to, bytes_of(g, x), finished(root(x), made)});
    }
  }

  // The group before which x, made by group `made`, is in memory.
  constexpr int finished(int x, int made) const {
    if (made < 0 || role_[x] != Role::fused || !is_split_sum(level_[x], p.cuts[made])) return made + 1;
    for (int before : p.finishes)
      if (before > made) return before;
    return f.groups.size();
  }

  // ---- a loop's body: what it yields is computed where the loop wants it ----
  constexpr void place_body_outputs() {
    for (int k = 0; k < g.outputs.size(); ++k) {
      const int x = root(g.outputs[k]);
      const bool computed = role_[x] == Role::fused || role_[x] == Role::opaque;
      if (computed && p.where[x] == Address::none && bytes_of(g, x) == bytes_of(g, g.outputs[k]))
        p.where[x] = Address::make(ir::Space::output, 0, k);
    }
  }

  // ---- state written where it lives ----
  constexpr void place_assigned() {
    for (const ir::Assign& a : g.assigns) {
      const int x = a.node;
      const bool computed = role_[x] == Role::fused || role_[x] == Role::opaque;
      if (!computed || p.where[x] != Address::none || arena_[x] >= 0 || pinned_[x]) continue;
      if (role_[x] == Role::fused && level_[x] != Level::element) continue;
      const int k = group_[x];
      const ir::Slot& slot = g.slots[a.slot];
      bool free = true;
      for (int i : states_) {
        if (!free || last_use_[i] < k) continue;
        const ir::Slot& other = g.slots[static_cast<int>(nodes_[i].imm)];
        if (other.space != slot.space || !overlaps(slot, other)) continue;
        const bool same = static_cast<int>(nodes_[i].imm) == a.slot;
        free = same && last_use_[i] == k && role_[x] == Role::fused && aligned(i, x, k);
      }
      if (free && last_use_[x] <= k) p.where[x] = Address::make(slot.space, slot.offset);
    }
  }
  constexpr bool overlaps(const ir::Slot& a, const ir::Slot& b) const {
    if (a.segments >= 0 && b.segments >= 0) return a.segments == b.segments && a.offset == b.offset;
    if (a.segments >= 0) return covers(a, b);
    if (b.segments >= 0) return covers(b, a);
    const i64 end_a = a.offset + g.shapes[a.shape].size() * size_of(a.dtype);
    const i64 end_b = b.offset + g.shapes[b.shape].size() * size_of(b.dtype);
    return a.offset < end_b && b.offset < end_a;
  }
  constexpr bool covers(const ir::Slot& segmented, const ir::Slot& plain) const {
    const ir::Span span = g.groups[segmented.segments];
    const i64 size = size_of(segmented.dtype);
    for (int r = 0; r < span.size; ++r) {
      const ir::Range& range = g.ranges[span.begin + r];
      const i64 begin = segmented.offset + range.offset * size, end = begin + range.length * size;
      if (plain.offset < end && begin < plain.offset + g.shapes[plain.shape].size() * size_of(plain.dtype))
        return true;
    }
    return false;
  }

  // Whether group k reads node x's memory only at the element it is writing, as `like` is laid out.
  constexpr bool aligned(int x, int like, int k) {
    if (nodes_[x].shape != nodes_[like].shape || size_of(nodes_[x].dtype) != size_of(nodes_[like].dtype))
      return false;
    if (level_[like] != Level::element) return false;
    phases(k);
    const ir::Span body = groups_[k].body;
    for (int i = 0; i < body.size; ++i)
      if (phase_[pool_[body.begin + i]] > phase_[like]) return false;
    const ir::Span loads = groups_[k].loads;
    for (int i = 0; i < loads.size; ++i) {
      const int load = pool_[loads.begin + i];
      if (load != x && root_in(load, k) == x &&
          !(shapes_[nodes_[load].shape].size() == shapes_[nodes_[like].shape].size() &&
            same_order(load, like, k)))
        return false;
    }
    for (int i = 0; i < body.size; ++i) {
      const int node = pool_[body.begin + i];
      if (role_[node] == Role::fused && view_of_[node] >= 0 && views_[view_of_[node]].root == x) return false;
      if (nodes_[node].op == ir::Op::pad && root_in(edges_[nodes_[node].first + 0], k) == x) return false;
    }
    return true;
  }
  constexpr bool same_order(int load, int like, int k) const {
    if (!f.is_view_in(load, k) || view_of_[load] < 0) return true;
    const View& v = views_[view_of_[load]];
    return v.offset == 0 && nodes_[load].shape == nodes_[like].shape &&
           is_contiguous(v, shapes_[nodes_[load].shape]);
  }

  // A dying buffer of the same size that group k reads element by element becomes the result's.
  constexpr bool in_place(int node, int k) {
    const Group& group = groups_[k];
    if (group.opaque >= 0 || group.odd || level_[node] != Level::element) return false;
    for (int i = 0; i < group.loads.size; ++i) {
      const int x = root_in(pool_[group.loads.begin + i], k);
      const u64 at = p.where[x];
      if (at == Address::none || Address::space(at) != ir::Space::workspace || pinned_[x] ||
          last_use_[x] != k)
        continue;
      if (arena_[x] >= 0 || role_[x] == Role::arena || bytes_of(g, x) != bytes_of(g, node)) continue;
      if (!aligned(x, node, k)) continue;
      Block* const blocks = blocks_.data();
      for (int* b = &expires_at_[k]; *b >= 0; b = &blocks[*b].next) {
        if (blocks[*b].offset != Address::offset(at)) continue;
        const i64 bytes = blocks[*b].bytes;
        *b = blocks[*b].next;
        expire(Address::offset(at), bytes,
               pinned_[node]         ? f.groups.size()
               : last_use_[node] < k ? k
                                     : last_use_[node]);
        p.where[node] = at;
        last_use_[x] = k + 1;  // taken: no second result may have it
        return true;
      }
    }
    return false;
  }

  // ---- the cut of a loop ----
  constexpr Cut cut_of(int k) {
    const Group& group = groups_[k];
    Cut cut;
    bool totals = false, columns = false;
    for (int i = 0; i < group.stores.size; ++i) {
      const Level level = level_[pool_[group.stores.begin + i]];
      totals = totals || level == Level::total;
      columns = columns || level == Level::column_sum;
    }
    const i64 size = group.space.size();
    if (group.odd) {
      const int reduction = pool_[group.stores.begin];
      cut.rows = shapes_[nodes_[reduction].shape].size();
      cut.cols = size / (cut.rows > 0 ? cut.rows : 1);
    } else if (group.split < 0 && is_flat(group, k)) {
      cut.flat = true;
      cut.cols = size < flat_tile ? size : flat_tile;
      cut.rows = cut.cols > 0 ? (size + cut.cols - 1) / cut.cols : 0;
      cut.segments = segments_of(group);
      if (cut.segments >= 0) {
        const ir::Span span = g.groups[cut.segments];
        cut.cols = flat_tile;
        cut.rows = 0;
        for (int r = 0; r < span.size; ++r)
          cut.rows += (g.ranges[span.begin + r].length + flat_tile - 1) / flat_tile;
      }
    } else {
      cut.split = group.split >= 0 ? group.split : split_of_map(group, k);
      for (int a = 0; a < group.space.rank; ++a)
        (a < cut.split ? cut.rows : cut.cols) *= group.space.extent[a];
    }
    // what is small but dear is still worth several threads
    const bool small = !totals && !columns && !cut.flat && size < 8 * chunk_elements;
    const i64 elements = small ? dear_elements(group) : chunk_elements;
    i64 per_chunk = cut.cols > 0 ? elements / cut.cols : 1;
    if (per_chunk < 1) per_chunk = 1;
    // sums across rows keep one partial result a chunk: few, long chunks
    const i64 most = columns ? 16 : totals ? 64 : 1024;
    if (cut.rows > per_chunk * most) per_chunk = (cut.rows + most - 1) / most;
    cut.rows_per_chunk = per_chunk;
    cut.chunks = cut.rows > 0 ? (cut.rows + per_chunk - 1) / per_chunk : 0;
    return cut;
  }
  // How many elements make a unit of work that is worth a thread (about 5 microseconds).
  constexpr i64 dear_elements(const Group& group) const {
    i64 cost = 1;
    for (int i = 0; i < group.body.size; ++i) cost += ir::info(nodes_[pool_[group.body.begin + i]].op).cost;
    const i64 elements = 131072 / cost;
    return elements < 1024 ? 1024 : elements < chunk_elements ? elements : chunk_elements;
  }
  // The parameter group that a walk over flat arenas follows, -1 for plain memory.
  constexpr int segments_of(const Group& group) const {
    for (int i = 0; i < group.loads.size; ++i) {
      const ir::Node& node = nodes_[pool_[group.loads.begin + i]];
      if (node.op == ir::Op::state && g.slots[static_cast<int>(node.imm)].segments >= 0)
        return g.slots[static_cast<int>(node.imm)].segments;
      if (node.op == ir::Op::pack && static_cast<i64>(node.imm) >= 0) return static_cast<int>(node.imm);
    }
    return -1;
  }
  constexpr bool is_flat(const Group& group, int k) const {
    for (int i = 0; i < group.loads.size; ++i) {
      const int x = pool_[group.loads.begin + i];
      if (shapes_[nodes_[x].shape].size() == 1) continue;
      if (shapes_[nodes_[x].shape].size() != group.space.size()) return false;
      if (f.is_view_in(x, k) && view_of_[x] >= 0 &&
          !is_contiguous(views_[view_of_[x]], shapes_[nodes_[x].shape]))
        return false;
    }
    for (int i = 0; i < group.body.size; ++i) {
      const int x = pool_[group.body.begin + i];
      const ir::Op op = nodes_[x].op;
      if (op == ir::Op::pad || (role_[x] == Role::fused && view_of_[x] >= 0)) return false;
      if (shapes_[nodes_[x].shape].size() != 1 && shapes_[nodes_[x].shape].size() != group.space.size())
        return false;
      if (op == ir::Op::iota) {
        // the walk counts all elements: right only where the index runs along the one axis there is
        const Dims& d = shapes_[nodes_[x].shape];
        if (d.size() != d.extent[static_cast<int>(nodes_[x].imm)]) return false;
      }
    }
    return true;
  }
  // Where the columns begin of a walk that no sum divides: at the first of the axes that everything walks as
  // one with the last, as far as a row stays a unit of work.
  constexpr int split_of_map(const Group& group, int k) const {
    const Dims& space = group.space;
    int split = space.rank - 1;
    while (split > 0 && space.extent[split] == 1) --split;
    if (split <= 0) return 0;
    i64 columns = space.extent[split];
    for (int inner = split, a = split - 1; a >= 0; --a) {
      if (space.extent[a] == 1) continue;
      columns *= space.extent[a];
      if (columns > flat_tile || !walks_as_one(group, k, a, inner)) break;
      split = inner = a;
    }
    return split;
  }
  // Whether axis `a` of the space continues axis `b`, for all that the group touches.
  constexpr bool walks_as_one(const Group& group, int k, int a, int b) const {
    for (int i = 0; i < group.loads.size; ++i) {
      const int x = pool_[group.loads.begin + i];
      if (!continues(group, x, f.is_view_in(x, k) ? view_of_[x] : -1, a, b)) return false;
    }
    for (int i = 0; i < group.body.size; ++i) {
      const int x = pool_[group.body.begin + i];
      const ir::Op op = nodes_[x].op;
      if (op == ir::Op::pad || op == ir::Op::iota) return false;
      const bool copies = role_[x] == Role::fused && view_of_[x] >= 0;
      if ((copies || op == ir::Op::random) && !continues(group, x, copies ? view_of_[x] : -1, a, b))
        return false;
    }
    for (int i = 0; i < group.stores.size; ++i) {
      const int x = pool_[group.stores.begin + i];
      if (level_[x] == Level::element && !continues(group, x, -1, a, b)) return false;
    }
    return true;
  }
  // The same for x, seen through a view or (-1) as it lies in memory.
  constexpr bool continues(const Group& group, int x, int view, int a, int b) const {
    const Dims& d = shapes_[nodes_[x].shape];
    const View v = view >= 0 ? views_[view] : contiguous_view(x, d);
    const int lead = group.space.rank - d.rank;
    const auto stride = [&](int axis) {
      return axis < lead || d.extent[axis - lead] == 1 ? i64{0} : v.stride[axis - lead];
    };
    return stride(a) == stride(b) * group.space.extent[b];
  }
  // Bytes of one chunk's partial results, all sums of the group one after another, each 64-byte aligned.
  constexpr i64 sums(const Group& group) const {
    i64 bytes = 0;
    for (int i = 0; i < group.stores.size; ++i) {
      const int x = pool_[group.stores.begin + i];
      if (level_[x] == Level::column_sum || level_[x] == Level::total) bytes += part_bytes(g, x);
    }
    return bytes;
  }

  // ---- first fit by offset: the gaps as a list linked in ascending order, the last one without an end ----
  struct Gap {
    i64 begin = 0, end = 0;
    int next = -1;
  };
  struct Block {
    i64 offset = 0, bytes = 0;
    int next = -1;  // another block with the same last reader
  };
  // Gives back what group k - 1 was the last to read.
  constexpr void release(int k) {
    if (k == 0) return;
    const Block* const blocks = blocks_.data();
    for (int b = expires_at_[k - 1]; b >= 0; b = blocks[b].next)
      give_back(blocks[b].offset, blocks[b].offset + blocks[b].bytes);
  }
  constexpr void give_back(i64 begin, i64 end) {
    if (begin == end) return;
    Gap* const gaps = gaps_.data();
    int before = 0;  // gap 0 heads the list, empty
    int next = gaps[0].next;
    while (gaps[next].begin < begin) before = next, next = gaps[next].next;
    const bool joins_before = before != 0 && gaps[before].end == begin, joins_next = gaps[next].begin == end;
    if (joins_before && joins_next) {
      gaps[before].end = gaps[next].end;
      gaps[before].next = gaps[next].next;
    } else if (joins_before) {
      gaps[before].end = end;
    } else if (joins_next) {
      gaps[next].begin = begin;
    } else {
      gaps[before].next = gaps_.size();
      gaps_.push({begin, end, next});
    }
  }
  constexpr u64 allocate(i64 bytes, int last) {
    bytes = align_up(bytes);
    Gap* const gaps = gaps_.data();
    int before = 0, at = gaps[0].next;
    while (gaps[at].end - gaps[at].begin < bytes) before = at, at = gaps[at].next;
    const i64 offset = gaps[at].begin;
    gaps[at].begin += bytes;
    if (gaps[at].begin == gaps[at].end) gaps[before].next = gaps[at].next;
    if (offset + bytes > peak_) peak_ = offset + bytes;
    expire(offset, bytes, last);
    return Address::make(ir::Space::workspace, offset);
  }
  constexpr void expire(i64 offset, i64 bytes, int last) {
    blocks_.push({offset, bytes, expires_at_[last]});
    expires_at_[last] = blocks_.size() - 1;
  }

  const ir::Graph& g;
  const Fusion& f;
  // plain pointers: constant evaluation pays for every call
  const ir::Node* nodes_ = g.nodes.data();
  const int* edges_ = g.edges.data();
  const Dims* shapes_ = g.shapes.data();
  const Role* role_ = f.role.data();
  const int* group_ = f.group.data();
  const Level* level_ = f.level.data();
  const int* view_of_ = f.view_of.data();
  const View* views_ = f.views.data();
  const Group* groups_ = f.groups.data();
  const int* pool_ = f.pool.data();
  Plan p;
  List<int> last_use_, phase_, arena_, states_;
  List<i64> offsets_;
  List<u8> pinned_;
  List<Gap> gaps_;
  List<Block> blocks_;
  List<int> expires_at_;  // the first block whose last reader is this group
  int finished_ = 0;      // sums of the groups before this one are no longer in parts
  i64 peak_ = 0;
  int phased_ = -1;  // the group that phase_ speaks of
  i64 arena_size_[16]{};
  u64 arena_at_[16]{Address::none, Address::none, Address::none, Address::none, Address::none, Address::none,
                    Address::none, Address::none, Address::none, Address::none, Address::none, Address::none,
                    Address::none, Address::none, Address::none, Address::none};
};

constexpr Plan plan_memory(const ir::Graph& graph, const Fusion& fusion) {
  return Planner(graph, fusion).run();
}

}  // namespace weft::passes

#include "weft/passes/loop_memory.hpp"
