#pragma once
// A fused kernel as bytecode: the instructions of its values (fused_values.hpp) in sections, with what its
// kernel takes.

#include "weft/compiler/lower/fused_values.hpp"
#include "weft/kernels/fused/call.hpp"
#include "weft/kernels/fused/parts.hpp"

namespace WEFT_NAMESPACE::compiler {

using kernels::Instruction;
using kernels::Opcode;

static_assert(kernels::tile_length == kernel_ir::flat_tile &&
              kernels::longest_column_sum == kernel_ir::longest_column_sum);
static_assert(kernels::LaunchArgs::max_operands == kernel_ir::FuseLimits{}.walk_operands &&
              kernels::LaunchArgs::max_streams == kernel_ir::FuseLimits{}.kernel_streams);
static_assert(most_phases == kernel_ir::FuseLimits{}.reductions + 1);
static_assert(static_cast<int>(Opcode::fma) == static_cast<int>(Op::fma) - static_cast<int>(Op::neg),
              "opcodes and pointwise primitives stand in the same order");

class FusedLowering : FusedValues {
 public:
  constexpr FusedLowering(const ir::Graph& graph, const kernel_ir::Fusion& fusion,
                          const kernel_ir::Plan& plan, Lowered& out)
      : FusedValues(graph, fusion, plan), out_(out) {}

  constexpr void lower(int k) {
    kernel_ = &f.kernels[k];
    kernel_number_ = k;
    tiling_ = &p.tilings[k];
    dedup_.read(k);
    if (const int known = dedup_.find(); known >= 0) {
      dedup_.repeat(known, out_);
      return;
    }
    reset();
    randoms_.clear();
    streams_.clear();
    sections_ = List<List<Instruction>>();
    take_members();
    choose_axes();
    make_infos();
    place_sinks();
    propagate_needs();
    emit();
    finish();
  }

 private:
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
        i.compensated = sink.accumulate && is_compensated(sink);
        const int at = push(section_of(i.stage, phase), i);
        set_operands(at, a, -1, -1);
      }
    }
  }
  constexpr int value_register(int s, int phase) const {
    return info_[s].stage == kernels::Stage::element ? info_[s].reg[phase] : info_[s].reg[0];
  }
  constexpr void set_operands(int at, int a, int b, int c) { registers_.push({at, a, b, c}); }

  // Whether a sum of so many elements x counts what rounding loses: of f32, as f64 has digits to spare.
  constexpr bool is_compensated(kernels::Fold fold, int x, i64 elements,
                                i64 most = kernel_ir::longest_lane_sum * kernels::widest_value) const {
    return fold == kernels::Fold::sum && kernels::kind_of(nodes_[x].dtype) == kernels::Kind::f32 &&
           elements > most;
  }
  // The same of the chunk's part of a total, or of a sum along the rows.
  constexpr bool is_compensated(const Sink& sink) const {
    const int x = infos_[sink.info].node;
    const i64 most = tiling_->batch_rows > 0 ? tiling_->batch_rows : tiling_->rows;
    const i64 rows = tiling_->rows_per_chunk < most ? tiling_->rows_per_chunk : most;
    if (operands_[sink.operand].word.role == kernels::Role::accumulate_columns)
      return is_compensated(sink.fold, x, rows, kernel_ir::longest_column_sum);
    if (sink.stage != kernels::Stage::element) return is_compensated(sink.fold, x, rows);
    return is_compensated(sink.fold, x,
                          tiling_->by_elements ? tiling_->rows_per_chunk : rows * tiling_->cols);
  }

  constexpr int emit_reduction(int s, int phase) {
    const Info& info = info_[s];
    const int in = resolve(edges_[nodes_[info.node].first + 0]);
    Instruction i;
    i.op = Opcode::reduce;
    i.stage = kernels::Stage::row;  // the result is the row's
    i.dtype = static_cast<u8>(nodes_[info.node].dtype);
    i.aux = static_cast<u16>(fold_of(nodes_[info.node].op));
    i.compensated = is_compensated(fold_of(nodes_[info.node].op), infos_[in].node, tiling_->cols);
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

  // Columns of the last row.
  constexpr i64 last_columns() const {
    if (!tiling_->flat) return tiling_->cols;
    return kernel_->space.size() - (tiling_->rows - 1) * kernel_ir::flat_tile;
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
    h.batch_axes = batch_;
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
    List<u64> numbers(kernels::FusedCall::streams_at, 0);
    kernels::FusedCall{tiling_->rows, tiling_->rows_per_chunk, tiling_->chunks,
                       last,          partial_bytes_,          streams_.size()}
        .encode(numbers.data());
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
    for (int i = 0; i < kernel_->loads.size; ++i) {
      const int x = pool_[kernel_->loads.begin + i];
      step.bytes += kernel_ir::bytes_of(g, x);
    }
    for (int i = 0; i < kernel_->stores.size; ++i)
      step.bytes += kernel_ir::bytes_of(g, pool_[kernel_->stores.begin + i]);
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

  Lowered& out_;
  List<int> randoms_;
  List<List<Instruction>> sections_;
  List<Registers> registers_;
  List<u64> streams_;
};

}  // namespace WEFT_NAMESPACE::compiler
