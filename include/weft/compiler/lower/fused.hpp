#pragma once
// A fused group as bytecode: strides for everything it reads and writes, and its instructions in sections. A
// value needed in several passes over a row is rematerialized, unless that is costly and the row is short
// enough to hold it.

#include "weft/compiler/lower/kernel_dedup.hpp"

namespace WEFT_NAMESPACE::compiler {

using ir::Op;
using kernel_ir::BufferAddress;
using kernel_ir::Level;
using kernels::Fold;
using kernels::Instruction;
using kernels::Opcode;

static_assert(kernels::tile_length == kernel_ir::flat_tile);
static_assert(kernels::LaunchArgs::max_operands == kernel_ir::FuseLimits{}.kernel_operands &&
              kernels::LaunchArgs::max_streams == kernel_ir::FuseLimits{}.kernel_streams);
static_assert(static_cast<int>(Opcode::fma) == static_cast<int>(Op::fma) - static_cast<int>(Op::neg),
              "opcodes and pointwise primitives stand in the same order");

// Kept elements of a row, in bytes, that a thread's stack or a block's shared memory takes.
inline constexpr i64 most_kept_bytes = 32768;

class FusedLowering {
 public:
  constexpr FusedLowering(const ir::Graph& graph, const kernel_ir::Fusion& fusion,
                          const kernel_ir::Plan& plan, Lowered& out)
      : g(graph), f(fusion), p(plan), out_(out), dedup_(graph, fusion, plan) {}

  constexpr void lower(int k) {
    group_ = &f.groups[k];
    group_number_ = k;
    tiling_ = &p.tilings[k];
    dedup_.read(k);
    if (const int known = dedup_.find(); known >= 0) {
      dedup_.repeat(known, out_);
      return;
    }
    reset();
    take_members();
    choose_axes();
    make_infos();
    place_sinks();
    propagate_needs();
    emit();
    finish();
  }

 private:
  struct Info {
    int node = 0;
    bool load = false;  // read from memory through `view`
    int alias = -1;     // a broadcast: the info it stands for
    kernels::Stage stage = kernels::Stage::element;
    int phase = 0;
    u32 needs = 0;  // phases (element) or any bit (uniform) in which the value is wanted
    bool keep = false;
    int keep_slot = -1;
    int operand = -1;
    int reg[8]{-1, -1, -1, -1, -1, -1, -1, -1};  // register by phase; [0] for uniform values
  };
  struct Operand {
    kernels::OperandWord word;
    u64 address = 0;
    i64 stride[8]{};
    i64 low[8]{}, high[8]{};
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
    randoms_.clear();
    sinks_.clear();
    sections_ = List<List<Instruction>>();
    seed_ = -1;
    kept_ = 0;
    streams_.clear();
  }

  constexpr void take_members() {
    const int count = group_->body.size + group_->loads.size;
    slots_ = dedup_.position;
    infos_.resize(count);
    info_ = infos_.data();
    for (int i = 0; i < count; ++i) {
      info_[i].node = dedup_.members[i];
      info_[i].load = dedup_.is_read[i] != 0;
    }
  }

  constexpr void choose_axes() {
    const Dims& space = group_->space;
    if (tiling_->flat) {
      rows_ = cols_ = 1;
      extent_[0] = extent_[1] = 0;
      return;
    }
    int n = 0;
    if (group_->middle_axis) {
      ir::Axes reduced = 0;
      const int r = pool_[group_->stores.begin];
      for (int a = 0; a < g.attributes(r); ++a) reduced |= 1u << g.attribute(r, a);
      for (int a = 0; a < space.rank; ++a)
        if (!(reduced >> a & 1u)) axis_[n++] = a;
      rows_ = n;
      for (int a = 0; a < space.rank; ++a)
        if (reduced >> a & 1u) axis_[n++] = a;
    } else {
      for (; n < space.rank; ++n) axis_[n] = n;
      rows_ = tiling_->split;
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
      const int i = axis_[a] - (group_->space.rank - d.rank);
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

  // Whether this group makes x by copying what it is a view of.
  constexpr bool is_copy(int x) const {
    return materialization_[x] == kernel_ir::Materialization::fused && view_of_[x] >= 0 &&
           member_of_[x] == group_number_;
  }
  constexpr Operand memory(int x) const {
    Operand o;
    const DType t = nodes_[x].dtype;
    o.word = {t, kernels::Role::load, false};
    const bool through_view = view_of_[x] >= 0 && (f.is_view_in(x, group_number_) || is_copy(x));
    const kernel_ir::View v =
        through_view ? views_[view_of_[x]] : kernel_ir::contiguous_view(x, shapes_[nodes_[x].shape]);
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
        info.stage = stage_of(o);
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
        i64 stride[8]{};
        if (node.op == Op::iota) {
          stride[static_cast<int>(node.imm)] = 1;
        } else {
          const kernel_ir::View v = kernel_ir::contiguous_view(0, d);
          for (int a = 0; a < d.rank; ++a) stride[a] = v.stride[a];
        }
        spread(d, stride, o);
        info.stage = stage_of(o);
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
        const int shift = group_->space.rank - d.rank;
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
      if (ir::is_reduction(node.op) && (level_[info.node] == Level::row || group_->middle_axis)) {
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
    for (int i = 0; i < group_->stores.size; ++i) {
      const int x = pool_[group_->stores.begin + i];
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
        sink.stage = g.dims(edges_[nodes_[x].first + 0]).size() == group_->space.size()
                         ? kernels::Stage::element
                         : kernels::Stage::row;
        o.word.role =
            level_[x] == Level::total ? kernels::Role::accumulate_total : kernels::Role::accumulate_columns;
        if (tiling_->chunks > 1) {
          o.address = tiling_->partials + static_cast<u64>(partial);
          rule = {Source::partial, static_cast<u64>(partial)};
          partial += kernel_ir::part_bytes(g, x);
        }
      } else {
        sink.info = resolve(x);
        const kernel_ir::View v = kernel_ir::contiguous_view(x, shapes_[nodes_[x].shape]);
        spread(shapes_[nodes_[x].shape], v.stride, o);
        sink.stage = stage_of(o);
        // memory of extent 1 does not say when its value is ready
        if (sink.stage < info_[sink.info].stage) sink.stage = info_[sink.info].stage;
      }
      sink.operand = add_operand(o, rule);
      sinks_.push(sink);
    }
    partial_bytes_ = tiling_->chunks > 1 ? partial : 0;
  }

  // Backwards: in which passes each value is wanted.
  constexpr void propagate_needs() {
    passes_ = 0;
    for (const Sink& sink : sinks_) {
      Info& info = info_[sink.info];
      info.needs |= 1u << info.phase;
      if (sink.stage == kernels::Stage::element && passes_ <= info.phase) passes_ = info.phase + 1;
    }
    i64 cols = 1;
    for (int a = rows_; a < rows_ + cols_; ++a) cols *= extent_[a];
    const i64 most_kept = cols > 0 ? most_kept_bytes / (cols * 8) : 0;
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
      if (info.stage == kernels::Stage::element) {
        const u32 own = 1u << info.phase;
        const bool later = (wanted & ~own) != 0;
        if (later && ir::info(node.op).cost >= 8 && kept_ < most_kept && kept_ < 4 && node.op != Op::random) {
          info.keep = true;
          info.keep_slot = kept_++;
          info.needs |= own;
          wanted = own;
        }
      }
      for (int a = 0; a < node.arity; ++a) {
        Info& in = info_[resolve(edges_[node.first + a])];
        in.needs |= in.stage == kernels::Stage::element ? wanted : 1u;
      }
    }
    for (int s = 0; s < infos_.size(); ++s)
      if (info_[s].stage == kernels::Stage::element && info_[s].needs != 0)
        for (int q = 0; q < 8; ++q)
          if (info_[s].needs >> q & 1u && passes_ <= q) passes_ = q + 1;
  }
  constexpr bool is_row_reduction(int s) const {
    return !info_[s].load && ir::is_reduction(nodes_[info_[s].node].op) &&
           info_[s].stage == kernels::Stage::row &&
           (level_[info_[s].node] == Level::row || group_->middle_axis);
  }

  // A register: section and position, made a plain number when the sections are joined.
  static constexpr int in_section = 4096;
  constexpr int push(int section, const Instruction& i) {
    sections_[section].push(i);
    return section * in_section + sections_[section].size() - 1;
  }
  constexpr int section_of(kernels::Stage stage, int phase) const {
    return stage == kernels::Stage::chunk ? 0 : stage == kernels::Stage::row ? 2 * phase + 1 : 2 * phase + 2;
  }

  constexpr void emit() {
    for (int s = 0; s < 2 * passes_ + 2; ++s) sections_.push(List<Instruction>());
    registers_.clear();
    for (int phase = 0; phase <= passes_; ++phase) {
      for (int s = 0; s < infos_.size(); ++s) {
        Info& info = info_[s];
        if (info.needs == 0 || info.alias >= 0) continue;
        if (info.stage == kernels::Stage::element) {
          if (info.needs >> phase & 1u) info.reg[phase] = emit_value(s, phase);
        } else if (is_row_reduction(s)) {
          if (info.phase - 1 == phase) info.reg[0] = emit_reduction(s, phase);
        } else if (info.stage == kernels::Stage::chunk ? phase == 0 : info.phase == phase) {
          info.reg[0] = emit_value(s, phase);
        }
      }
      for (const Sink& sink : sinks_) {
        const Info& info = info_[sink.info];
        if (info.phase != phase) continue;
        Instruction i;
        i.op = sink.accumulate ? Opcode::accumulate : Opcode::store;
        i.stage = sink.stage;
        i.dtype = static_cast<u8>(nodes_[info.node].dtype);
        const int a = value_register(sink.info, phase);
        i.aux = static_cast<u16>(sink.operand);
        i.aux2 = static_cast<u16>(sink.fold);
        const int at = push(section_of(i.stage, phase), i);
        set_operands(at, a, -1, -1);
      }
    }
  }
  constexpr int value_register(int s, int phase) const {
    return info_[s].stage == kernels::Stage::element ? info_[s].reg[phase] : info_[s].reg[0];
  }
  constexpr void set_operands(int at, int a, int b, int c) { registers_.push({at, a, b, c}); }

  constexpr int emit_reduction(int s, int phase) {
    const Info& info = info_[s];
    const int in = resolve(edges_[nodes_[info.node].first + 0]);
    Instruction i;
    i.op = Opcode::reduce;
    i.stage = kernels::Stage::row;  // the result is the row's
    i.dtype = static_cast<u8>(nodes_[info.node].dtype);
    i.aux = static_cast<u16>(fold_of(nodes_[info.node].op));
    const int at = push(2 * phase + 2, i);
    set_operands(at, value_register(in, phase), -1, -1);
    return at;
  }

  constexpr int emit_value(int s, int phase) {
    Info& info = info_[s];
    const ir::Node& node = nodes_[info.node];
    const int section = section_of(info.stage, phase);
    Instruction i;
    i.stage = info.stage;
    i.dtype = static_cast<u8>(node.dtype);
    if (info.keep && phase > info.phase) {
      i.op = Opcode::kept;
      i.aux = static_cast<u16>(info.keep_slot);
      return push(section, i);
    }
    if (info.load || node.op == Op::pad) {
      i.op = Opcode::load;
      i.aux = static_cast<u16>(info.operand);
      i.imm = info.load ? 0 : node.imm;
      return push(section, i);
    }
    if (node.op == Op::constant) {
      i.op = Opcode::constant;
      i.imm = node.imm;
      return push(section, i);
    }
    if (node.op == Op::iota || node.op == Op::random) {
      i.op = Opcode::index;
      i.aux = static_cast<u16>(info.operand);
      if (node.op == Op::random) i.dtype = static_cast<u8>(DType::u32);
      const int index = push(section, i);
      if (node.op == Op::iota) return index;
      i.op = Opcode::random;
      i.aux = static_cast<u16>(stream(s));
      i.aux2 = static_cast<u16>(seed_);
      const int at = push(section, i);
      set_operands(at, index, -1, -1);
      return at;
    }
    i.op = node.op == Op::stop_gradient
               ? Opcode::copy
               : static_cast<Opcode>(static_cast<int>(node.op) - static_cast<int>(Op::neg));
    int in[3]{-1, -1, -1};
    for (int a = 0; a < node.arity; ++a) in[a] = value_register(resolve(edges_[node.first + a]), phase);
    const int at = push(section, i);
    set_operands(at, in[0], in[1], in[2]);
    if (info.keep) {
      Instruction k;
      k.op = Opcode::keep;
      k.stage = kernels::Stage::element;
      k.dtype = i.dtype;
      k.aux = static_cast<u16>(info.keep_slot);
      set_operands(push(section, k), at, -1, -1);
    }
    return at;
  }

  constexpr int stream(int s) {
    const u64 number = nodes_[info_[s].node].imm;
    for (int k = 0; k < streams_.size(); ++k)
      if (streams_[k] == number) return k;
    streams_.push(number);
    randoms_.push(s);
    return streams_.size() - 1;
  }

  // Joins neighbouring axes that every operand walks as one, and drops axes of extent 1.
  constexpr void collapse() {
    if (tiling_->flat) return;
    for (const Operand& o : operands_)
      if (o.word.window) return;
    collapse(0, rows_, true);
    collapse(rows_, cols_, false);
  }
  constexpr void collapse(int begin, int count, bool is_rows) {
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
      (is_rows ? rows_ : cols_) -= 1;
    }
  }

  // Columns of the last row.
  constexpr i64 last_columns() const {
    if (!tiling_->flat) return tiling_->cols;
    return group_->space.size() - (tiling_->rows - 1) * kernel_ir::flat_tile;
  }
  // Whether rows of a length that the code does not hold end with a whole value of any team.
  constexpr bool ends_even() const {
    if (tiling_->segments < 0)
      return tiling_->flat && last_columns() % kernels::widest_value == 0 &&
             (!tiling_->by_elements || tiling_->rows_per_chunk % kernels::widest_value == 0);
    const ir::Span span = g.param_groups[tiling_->segments];
    bool even = true;
    for (int r = 0; r < span.size; ++r)
      even = even && g.ranges[span.begin + r].length % kernels::widest_value == 0;
    return even;
  }

  constexpr void finish() {
    collapse();
    kernels::FusedHeader h;
    h.operands = operands_.size();
    h.row_axes = rows_;
    h.col_axes = cols_;
    h.passes = passes_;
    h.kept = kept_;
    h.segmented = tiling_->segments >= 0;
    h.even = ends_even();
    h.by_elements = tiling_->by_elements;
    for (const Operand& o : operands_) h.windows = h.windows || o.word.window;
    List<int> base(sections_.size(), 0);
    for (int s = 0; s < sections_.size(); ++s) {
      base[s] = h.instructions;
      h.instructions += sections_[s].size();
    }
    for (const Registers& r : registers_) {
      Instruction& i = sections_[r.at / in_section][r.at % in_section];
      const auto number = [&](int reg) {
        return static_cast<u16>(reg < 0 ? 0 : base[reg / in_section] + reg % in_section);
      };
      i.a = number(r.a);
      i.b = number(r.b);
      i.c = number(r.c);
    }
    const int axes = rows_ + cols_;
    List<u64> code(2 + sections_.size() + axes + h.operand_words() * operands_.size() +
                   kernels::instruction_words * h.instructions);
    u64* w = code.data();
    h.encode(w);
    w += 2;
    for (int s = 0; s < sections_.size(); ++s) *w++ = static_cast<u64>(base[s] + sections_[s].size());
    for (int a = 0; a < axes; ++a) *w++ = a == 0 ? 0 : static_cast<u64>(extent_[a]);
    for (const Operand& o : operands_) {
      *w++ = o.word.encode();
      for (int a = 0; a < axes; ++a) *w++ = static_cast<u64>(o.stride[a]);
      if (!h.windows) continue;
      for (int a = 0; a < axes; ++a) *w++ = static_cast<u64>(o.low[a]);
      for (int a = 0; a < axes; ++a) *w++ = static_cast<u64>(o.high[a]);
    }
    for (const List<Instruction>& section : sections_)
      for (const Instruction& i : section) {
        kernels::encode(i, w);
        w += kernels::instruction_words;
      }
    if (operands_.size() > kernels::LaunchArgs::max_operands ||
        streams_.size() > kernels::LaunchArgs::max_streams)
      throw Error("codegen/too-large", "a fused kernel has too many operands");
    List<u64> addresses;
    for (const Operand& o : operands_)
      addresses.push(o.word.role == kernels::Role::index ? BufferAddress::none : o.address);
    const i64 last = last_columns();
    List<u64> numbers;  // KernelDedup::fused_numbers of them, then the streams
    numbers.push(static_cast<u64>(tiling_->rows));
    numbers.push(static_cast<u64>(tiling_->rows_per_chunk));
    numbers.push(static_cast<u64>(tiling_->chunks));
    numbers.push(static_cast<u64>(last));
    numbers.push(static_cast<u64>(partial_bytes_));
    numbers.push(static_cast<u64>(streams_.size()));
    for (u64 s : streams_) numbers.push(s);
    if (tiling_->segments >= 0) {
      const ir::Span span = g.param_groups[tiling_->segments];
      i64 tiles = 0;
      for (int r = 0; r < span.size; ++r) {
        const ir::Range& range = g.ranges[span.begin + r];
        for (const i64 x : {tiles, range.offset, range.length}) numbers.push(static_cast<u64>(x));
        tiles += (range.length + kernel_ir::flat_tile - 1) / kernel_ir::flat_tile;
      }
    }
    const int first = out_.steps.size();
    Step& step = out_.step(StepKind::fused, out_.kernel(StepKind::fused, code), addresses, numbers);
    cost(step);
    dedup_.add(rules_, randoms_, first);
  }

  constexpr void cost(Step& step) const {
    for (int i = 0; i < group_->loads.size; ++i) {
      const int x = pool_[group_->loads.begin + i];
      step.bytes += kernel_ir::bytes_of(g, x);
    }
    for (int i = 0; i < group_->stores.size; ++i)
      step.bytes += kernel_ir::bytes_of(g, pool_[group_->stores.begin + i]);
    for (const Info& info : infos_)
      if (!info.load && info.alias < 0) {
        const ir::Node& node = nodes_[info.node];
        const i64 size = ir::is_reduction(node.op) ? g.dims(edges_[nodes_[info.node].first + 0]).size()
                                                   : shapes_[nodes_[info.node].shape].size();
        step.flops += size * (ir::info(node.op).cost > 0 ? 1 : 0);
      }
  }

  struct Registers {
    int at = 0, a = 0, b = 0, c = 0;
  };

  const ir::Graph& g;
  const kernel_ir::Fusion& f;
  const kernel_ir::Plan& p;
  Lowered& out_;
  // plain pointers: constant evaluation pays for every call
  const ir::Node* nodes_ = g.nodes.data();
  const int* edges_ = g.edges.data();
  const Dims* shapes_ = g.shapes.data();
  const kernel_ir::Materialization* materialization_ = f.materialization.data();
  const int* member_of_ = f.group.data();
  const Level* level_ = f.level.data();
  const int* view_of_ = f.view_of.data();
  const kernel_ir::View* views_ = f.views.data();
  const int* pool_ = f.pool.data();
  Info* info_ = nullptr;
  int* slots_ = nullptr;
  const kernel_ir::Group* group_ = nullptr;
  int group_number_ = 0;
  const kernel_ir::Tiling* tiling_ = nullptr;
  KernelDedup dedup_;
  List<AddressRule> rules_;
  List<int> randoms_;
  List<Info> infos_;
  List<Operand> operands_;
  List<Sink> sinks_;
  List<List<Instruction>> sections_;
  List<Registers> registers_;
  List<u64> streams_;
  int axis_[9]{};
  i64 extent_[9]{};
  int rows_ = 0, cols_ = 0, passes_ = 0, kept_ = 0, seed_ = -1;
  i64 partial_bytes_ = 0;
};

}  // namespace WEFT_NAMESPACE::compiler
