#pragma once
// What a fused kernel computes, before it has instructions: the axes that its kernel walks, every value with
// its stage and the passes over a row in which it is wanted, and with which strides memory is read and
// written. A value needed in several passes over a row is rematerialized, unless that is costly and the row
// is short enough to hold it.

#include "weft/compiler/lower/kernel_dedup.hpp"

namespace WEFT_NAMESPACE::compiler {

using ir::Op;
using kernel_ir::BufferAddress;
using kernel_ir::Level;
using kernels::Fold;

// Kept elements of a row, in bytes, that a thread's stack or a block's shared memory takes.
inline constexpr i64 most_kept_bytes = 32768;
// Passes over a row, and the number behind the last of them.
inline constexpr int most_phases = 8;

// The values of one kernel after another; FusedLowering (fused.hpp) makes instructions of them.
class FusedValues {
 protected:
  constexpr FusedValues(const ir::Graph& graph, const kernel_ir::Fusion& fusion, const kernel_ir::Plan& plan)
      : g(graph), f(fusion), p(plan), dedup_(graph, fusion, plan) {}

  struct Info {
    int node = 0;
    bool load = false;  // read from memory through `view`
    int alias = -1;     // a broadcast: the info it stands for
    kernels::Stage stage = kernels::Stage::element;
    int phase = 0;
    u32 needs = 0;              // phases (element) or any bit (uniform) in which the value is wanted
    bool begins_later = false;  // a later pass computes with it
    int cost = 0;               // of computing it again, from what is loaded or kept
    bool keep = false;
    int keep_slot = -1;
    int operand = -1;
    // register by phase; [0] for uniform values
    int reg[most_phases]{-1, -1, -1, -1, -1, -1, -1, -1};
  };
  // a tensor's, and the row or the column that a kernel has where the tensor has none
  static constexpr int max_axes = max_rank + 1;
  struct Operand {
    kernels::OperandWord word;
    u64 address = 0;
    i64 stride[max_axes]{};
    i64 low[max_axes]{}, high[max_axes]{};
  };
  struct Sink {
    int info = 0;
    int operand = 0;
    kernels::Stage stage = kernels::Stage::element;
    bool accumulate = false;
    Fold fold = Fold::sum;
  };

  constexpr void reset() {
    infos_.clear();
    operands_.clear();
    rules_.clear();
    sinks_.clear();
    seed_ = -1;
    kept_ = 0;
  }

  constexpr void take_members() {
    const int count = kernel_->body.size + kernel_->loads.size;
    slots_ = dedup_.position;
    infos_.resize(count);
    info_ = infos_.data();
    for (int i = 0; i < count; ++i) {
      info_[i].node = dedup_.members[i];
      info_[i].load = dedup_.is_read[i] != 0;
    }
  }

  constexpr void choose_axes() {
    const Dims& space = kernel_->space;
    batch_ = 0;
    narrow_ = has_narrow_rows();
    if (tiling_->flat) {
      rows_ = cols_ = 1;
      extent_[0] = extent_[1] = 0;
      return;
    }
    int n = 0;
    if (kernel_->middle_axis) {
      ir::Axes reduced = 0;
      const int r = pool_[kernel_->stores.begin];
      for (int a = 0; a < g.attributes(r); ++a) reduced |= 1u << g.attribute(r, a);
      for (int a = 0; a < space.rank; ++a)
        if (!(reduced >> a & 1u)) axis_[n++] = a;
      rows_ = n;
      for (int a = 0; a < space.rank; ++a)
        if (reduced >> a & 1u) axis_[n++] = a;
    } else {
      for (; n < space.rank; ++n) axis_[n] = n;
      rows_ = tiling_->split;
      batch_ = tiling_->batch_rows > 0 ? kernel_->batch : 0;
    }
    cols_ = n - rows_;
    for (int a = 0; a < n; ++a) extent_[a] = space.extent[axis_[a]];
    // a fused kernel has at least one row axis and one column axis
    if (rows_ == 0) {
      for (int a = n; a > 0; --a) axis_[a] = axis_[a - 1], extent_[a] = extent_[a - 1];
      axis_[0] = -1;
      extent_[0] = 1;
      rows_ = 1, ++n;
    }
    if (cols_ == 0) {
      axis_[n] = -1;
      extent_[n] = 1;
      cols_ = 1;
    }
    // the code holds no extent of a first axis: of narrow rows that are windows it tells which are neighbours
    if (narrow_ && rows_ == 1 && cols_ == 1 && axis_[0] >= 0 && has_window()) {
      axis_[2] = axis_[1], axis_[1] = axis_[0], axis_[0] = -1;
      extent_[2] = extent_[1], extent_[1] = extent_[0], extent_[0] = 1;
      rows_ = 2;
    }
  }
  constexpr bool has_window() const {
    for (int i = 0; i < kernel_->body.size; ++i)
      if (nodes_[pool_[kernel_->body.begin + i]].op == Op::pad) return true;
    return false;
  }

  // Strides per axis of the kernel of something with these extents and per-axis strides.
  constexpr void spread(const Dims& d, const i64* stride, Operand& o) const {
    if (tiling_->flat) {
      const bool one = d.size() == 1;
      o.stride[0] = one ? 0 : kernel_ir::flat_tile;
      o.stride[1] = one ? 0 : 1;
      return;
    }
    for (int a = 0; a < rows_ + cols_; ++a) {
      if (axis_[a] < 0) continue;
      const int i = axis_[a] - (kernel_->space.rank - d.rank);
      o.stride[a] = i < 0 || d.extent[i] == 1 ? 0 : stride[i];
    }
  }

  constexpr int add_operand(const Operand& o, AddressRule rule) {
    operands_.push(o);
    rules_.push(rule);
    return operands_.size() - 1;
  }

  constexpr kernels::Stage stage_of(const Operand& o) const {
    for (int a = rows_; a < rows_ + cols_; ++a)
      if (o.stride[a] != 0) return kernels::Stage::element;
    for (int a = 0; a < rows_; ++a)
      if (o.stride[a] != 0) return kernels::Stage::row;
    return kernels::Stage::chunk;
  }

  // The same of what the kernel computes with. A map's rows of a few columns have no numbers of their own:
  // several rows are one value, which has them in its lanes.
  constexpr kernels::Stage stage_in_rows(const Operand& o) const {
    const kernels::Stage stage = stage_of(o);
    return narrow_ && stage == kernels::Stage::row ? kernels::Stage::element : stage;
  }
  constexpr bool has_narrow_rows() const {
    if (kernel_->split >= 0 || kernel_->walk >= 0 || kernel_->middle_axis || tiling_->flat ||
        2 * tiling_->cols > kernels::widest_value)
      return false;
    for (int i = 0; i < kernel_->stores.size; ++i)
      if (level_[pool_[kernel_->stores.begin + i]] != Level::element) return false;
    return true;
  }

  // Whether this kernel makes x by copying what it is a view of.
  constexpr bool is_copy(int x) const {
    return materialization_[x] == kernel_ir::Materialization::fused && view_of_[x] >= 0 &&
           member_of_[x] == kernel_number_;
  }
  constexpr Operand memory(int x) const {
    Operand o;
    const DType t = nodes_[x].dtype;
    o.word = {t, kernels::Role::load, false};
    const bool through_view = view_of_[x] >= 0 && (f.is_view_in(x, kernel_number_) || is_copy(x));
    const kernel_ir::View v = through_view ? views_[view_of_[x]] : f.stored_view(g, x);
    o.address = p.address(v, t);
    spread(shapes_[nodes_[x].shape], v.stride, o);
    return o;
  }

  constexpr void make_infos() {
    for (int s = 0; s < infos_.size(); ++s) {
      Info& info = info_[s];
      const ir::Node& node = nodes_[info.node];
      const Dims& d = shapes_[nodes_[info.node].shape];
      if (info.load) {
        Operand o = memory(info.node);
        info.stage = stage_in_rows(o);
        info.operand = add_operand(o, {Source::member, static_cast<u64>(s)});
        continue;
      }
      if (node.op == Op::constant) {
        info.stage = kernels::Stage::chunk;
        continue;
      }
      if (node.op == Op::iota || node.op == Op::random) {
        Operand o;
        o.word = {node.op == Op::iota ? node.dtype : DType::u32, kernels::Role::index, false};
        i64 stride[max_rank]{};
        if (node.op == Op::iota) {
          stride[static_cast<int>(node.imm)] = 1;
        } else {
          const kernel_ir::View v = kernel_ir::contiguous_view(0, d);
          for (int a = 0; a < d.rank; ++a) stride[a] = v.stride[a];
        }
        spread(d, stride, o);
        info.stage = stage_in_rows(o);
        info.operand = add_operand(o, {Source::fixed, BufferAddress::none});
        if (node.op == Op::random && seed_ < 0) {
          Operand seed;
          seed.word = {DType::u32, kernels::Role::random, false};
          seed.address = g.key_input < 0 ? BufferAddress::make(ir::Space::scalars, 0)
                                         : BufferAddress::make(ir::Space::input, 0, g.key_input);
          seed_ = add_operand(seed, {Source::fixed, seed.address});
        }
        continue;
      }
      if (node.op == Op::pad) {
        const int x = edges_[nodes_[info.node].first + 0];
        Operand o = memory(x);
        o.word.window = true;
        const int shift = kernel_->space.rank - d.rank;
        for (int a = 0; a < rows_ + cols_; ++a) {
          const int i = axis_[a] < 0 ? -1 : axis_[a] - shift;
          // an axis along which the padded value is broadcast has no bounds
          const bool one = i < 0 || (d.extent[i] == 1 && shapes_[nodes_[x].shape].extent[i] == 1);
          o.low[a] = one ? 0 : g.attribute(info.node, 2 * i);
          o.high[a] = one ? extent_[a] : o.low[a] + shapes_[nodes_[x].shape].extent[i];
        }
        info.stage = kernels::Stage::element;
        info.operand = add_operand(o, {Source::operand, static_cast<u64>(s)});
        continue;
      }
      if (node.op == Op::broadcast) {
        info.alias = resolve(edges_[nodes_[info.node].first + 0]);
        info.stage = info_[info.alias].stage;
        info.phase = info_[info.alias].phase;
        continue;
      }
      info.stage = kernels::Stage::chunk;
      for (int a = 0; a < node.arity; ++a) {
        const Info& in = info_[resolve(edges_[node.first + a])];
        if (info.stage < in.stage) info.stage = in.stage;
        if (info.phase < in.phase) info.phase = in.phase;
      }
      if (ir::is_reduction(node.op) && (level_[info.node] == Level::row || kernel_->middle_axis)) {
        info.phase += 1;
        info.stage = kernels::Stage::row;
      }
    }
  }

  constexpr int resolve(int node) const {
    const int s = slots_[node];
    return info_[s].alias >= 0 ? info_[s].alias : s;
  }

  constexpr void place_sinks() {
    i64 partial = 0;
    for (int i = 0; i < kernel_->stores.size; ++i) {
      const int x = pool_[kernel_->stores.begin + i];
      Sink sink;
      AddressRule rule{Source::store, static_cast<u64>(i)};
      const bool sum = level_[x] == Level::column_sum || level_[x] == Level::total;
      Operand o;
      const DType t = nodes_[x].dtype;
      o.word = {t, kernels::Role::store, false};
      o.address = p.where[x];
      if (sum) {
        sink.accumulate = true;
        sink.fold = fold_of(nodes_[x].op);
        sink.info = resolve(edges_[nodes_[x].first + 0]);
        // a row's number counts once a row, an element that happens to be the same all along it once an
        // element
        sink.stage = g.dims(edges_[nodes_[x].first + 0]).size() == kernel_->space.size()
                         ? kernels::Stage::element
                         : kernels::Stage::row;
        o.word.role =
            level_[x] == Level::total ? kernels::Role::accumulate_total : kernels::Role::accumulate_columns;
        if (tiling_->parts() > 1) {
          o.address = tiling_->partials + static_cast<u64>(partial);
          rule = {Source::partial, static_cast<u64>(partial)};
          partial += kernel_ir::part_bytes(g, x, *tiling_);
        } else if (batch_ > 0) {  // each batch has its place
          const Dims& d = shapes_[nodes_[x].shape];
          spread(d, kernel_ir::contiguous_view(x, d).stride, o);
          for (int a = rows_; a < rows_ + cols_; ++a) o.stride[a] = 0;
        }
      } else {
        sink.info = resolve(x);
        const kernel_ir::View v = f.stored_view(g, x);
        spread(shapes_[nodes_[x].shape], v.stride, o);
        sink.stage = stage_of(o);
        // memory of extent 1 does not say when its value is ready
        if (sink.stage < info_[sink.info].stage) sink.stage = info_[sink.info].stage;
      }
      sink.operand = add_operand(o, rule);
      sinks_.push(sink);
    }
    partial_bytes_ = partial;
  }

  // What a later pass over the row would compute again, at a price: those of its members that a later pass
  // begins with are kept.
  constexpr void choose_kept() {
    constexpr int costly = 8;
    i64 cols = 1;
    for (int a = rows_; a < rows_ + cols_; ++a) cols *= extent_[a];
    const i64 most_kept = cols > 0 ? most_kept_bytes / (cols * 8) : 0;
    const auto computed = [&](int s) {
      return !info_[s].load && info_[s].alias < 0 && info_[s].stage == kernels::Stage::element &&
             nodes_[info_[s].node].op != Op::pad;
    };
    for (int s = 0; s < infos_.size(); ++s) {
      if (!computed(s)) continue;
      const ir::Node& node = nodes_[info_[s].node];
      for (int a = 0; a < node.arity; ++a) {
        Info& in = info_[resolve(edges_[node.first + a])];
        in.begins_later = in.begins_later || in.phase < info_[s].phase;
      }
    }
    for (int s = 0; s < infos_.size(); ++s) {
      Info& info = info_[s];
      if (!computed(s)) continue;
      const ir::Node& node = nodes_[info.node];
      info.cost = ir::info(node.op).cost;
      for (int a = 0; a < node.arity; ++a) info.cost += info_[resolve(edges_[node.first + a])].cost;
      if (info.cost > costly) info.cost = costly;  // as costly as can be
      info.keep =
          info.begins_later && info.cost >= costly && is_float(node.dtype) && kept_ < most_kept && kept_ < 4;
      if (!info.keep) continue;
      info.keep_slot = kept_++;
      info.cost = 0;
    }
  }

  // Backwards: in which passes each value is wanted.
  constexpr void propagate_needs() {
    passes_ = 0;
    choose_kept();
    for (const Sink& sink : sinks_) {
      Info& info = info_[sink.info];
      info.needs |= 1u << info.phase;
      if (sink.stage == kernels::Stage::element && passes_ <= info.phase) passes_ = info.phase + 1;
    }
    for (int s = infos_.size() - 1; s >= 0; --s) {
      Info& info = info_[s];
      if (info.needs == 0 || info.load || info.alias >= 0) continue;
      const ir::Node& node = nodes_[info.node];
      if (node.op == Op::pad) continue;
      u32 wanted = info.needs;
      if (is_row_reduction(s)) {
        const int in = resolve(edges_[nodes_[info.node].first + 0]);
        const int phase = info.phase - 1;
        info_[in].needs |= 1u << (info_[in].stage == kernels::Stage::element ? phase : 0);
        if (passes_ <= phase) passes_ = phase + 1;
        continue;
      }
      if (info.keep) {
        wanted = 1u << info.phase;
        info.needs |= wanted;
      }
      for (int a = 0; a < node.arity; ++a) {
        Info& in = info_[resolve(edges_[node.first + a])];
        in.needs |= in.stage == kernels::Stage::element ? wanted : 1u;
      }
    }
    for (int s = 0; s < infos_.size(); ++s)
      if (info_[s].stage == kernels::Stage::element && info_[s].needs != 0)
        for (int q = 0; q < most_phases; ++q)
          if (info_[s].needs >> q & 1u && passes_ <= q) passes_ = q + 1;
  }
  constexpr bool is_row_reduction(int s) const {
    return !info_[s].load && ir::is_reduction(nodes_[info_[s].node].op) &&
           info_[s].stage == kernels::Stage::row &&
           (level_[info_[s].node] == Level::row || kernel_->middle_axis);
  }

  // Joins neighbouring axes that every operand walks as one, and drops axes of extent 1.
  constexpr void collapse() {
    if (tiling_->flat) return;
    for (const Operand& o : operands_)
      if (o.word.window) return;
    const int rows = rows_;
    collapse(0, batch_, rows_);
    batch_ -= rows - rows_;
    collapse(batch_, rows_ - batch_, rows_);
    collapse(rows_, cols_, cols_);
  }
  // Of `count` axes from `begin` on, which `of` counts too.
  constexpr void collapse(int begin, int count, int& of) {
    for (int a = begin + count - 1; a > begin; --a) {
      bool join = true;
      if (extent_[a] != 1 && extent_[a - 1] != 1)
        for (const Operand& o : operands_) join = join && o.stride[a - 1] == o.stride[a] * extent_[a];
      if (!join) continue;
      if (extent_[a] != 1)
        for (Operand& o : operands_) o.stride[a - 1] = o.stride[a];
      extent_[a - 1] *= extent_[a];
      for (int b = a; b + 1 < rows_ + cols_; ++b) {
        extent_[b] = extent_[b + 1];
        for (Operand& o : operands_) o.stride[b] = o.stride[b + 1];
      }
      for (Operand& o : operands_) o.stride[rows_ + cols_ - 1] = 0;
      --of;
    }
  }

  const ir::Graph& g;
  const kernel_ir::Fusion& f;
  const kernel_ir::Plan& p;
  // plain pointers: constant evaluation pays for every call
  const ir::Node* nodes_ = g.nodes.data();
  const int* edges_ = g.edges.data();
  const Dims* shapes_ = g.shapes.data();
  const kernel_ir::Materialization* materialization_ = f.materialization.data();
  const int* member_of_ = f.kernel_of.data();
  const Level* level_ = f.level.data();
  const int* view_of_ = f.view_of.data();
  const kernel_ir::View* views_ = f.views.data();
  const int* pool_ = f.pool.data();
  Info* info_ = nullptr;
  int* slots_ = nullptr;
  const kernel_ir::Kernel* kernel_ = nullptr;
  int kernel_number_ = 0;
  const kernel_ir::Tiling* tiling_ = nullptr;
  KernelDedup dedup_;
  List<AddressRule> rules_;
  List<Info> infos_;
  List<Operand> operands_;
  List<Sink> sinks_;
  int axis_[max_axes]{};
  i64 extent_[max_axes]{};
  int batch_ = 0, rows_ = 0, cols_ = 0, passes_ = 0, kept_ = 0, seed_ = -1;
  i64 partial_bytes_ = 0;
  bool narrow_ = false;  // a map with rows of a few columns
};

}  // namespace WEFT_NAMESPACE::compiler
