#pragma once
// An evaluator of lowered programs: it executes the words of every kernel element by element over the planned
// memory, with every access checked against its block. Chunks, and the columns of a pass over a row, run in a
// random order, so that a result that depends on one shows. Memory starts out as garbage.

#include <algorithm>
#include <cstring>
#include <random>

#include "support/interpret_along_axis.hpp"
#include "support/interpret_attention.hpp"
#include "support/interpret_graph.hpp"
#include "weft/compiler/lower.hpp"
#include "weft/kernels/conv/shape.hpp"

namespace weft::testing {

inline double read_element(const std::byte* p, DType t) {
  const auto as = [&]<class T>(T) {
    T v;
    std::memcpy(&v, p, sizeof v);
    return v;
  };
  switch (t) {
    case DType::f64:
      return as(double{});
    case DType::f32:
      return static_cast<double>(as(float{}));
    case DType::f16:
      return static_cast<double>(static_cast<float>(as(f16{})));
    case DType::bf16:
      return static_cast<double>(static_cast<float>(as(bf16{})));
    case DType::i64:
      return static_cast<double>(as(i64{}));
    case DType::i32:
      return as(i32{});
    case DType::u32:
      return as(u32{});
    case DType::i8:
      return as(i8{});
    default:
      return as(u8{});
  }
}
inline void write_element(std::byte* p, DType t, double v) {
  const auto as = [&](auto x) { std::memcpy(p, &x, sizeof x); };
  switch (t) {
    case DType::f64:
      return as(v);
    case DType::f32:
      return as(static_cast<float>(v));
    case DType::f16:
      return as(f16(static_cast<float>(v)));
    case DType::bf16:
      return as(bf16(static_cast<float>(v)));
    case DType::i64:
      return as(static_cast<i64>(v));
    case DType::i32:
      return as(static_cast<i32>(static_cast<i64>(v)));
    case DType::u32:
      return as(static_cast<u32>(static_cast<i64>(v)));
    case DType::i8:
      return as(static_cast<i8>(static_cast<i64>(v)));
    default:
      return as(static_cast<u8>(v));
  }
}

class Machine {
 public:
  Machine(const ir::Graph& graph, const kernel_ir::Plan& plan, const compiler::Lowered& lowered,
          const Leaves& leaves, u32 order)
      : g(graph), plan_(plan), lowered_(lowered), order_(order) {
    for (std::size_t i = 0; i < leaves.inputs.size(); ++i) {
      const int node = static_cast<int>(i) < g.inputs.size() ? g.inputs[static_cast<int>(i)] : -1;
      inputs_.push_back(node < 0 ? Block{} : stored(g.nodes[node].dtype, leaves.inputs[i]));
    }
    blocks_[static_cast<int>(ir::Space::workspace)] = garbage(plan.workspace_bytes);
    blocks_[static_cast<int>(ir::Space::model)] = garbage(g.model_bytes);
    blocks_[static_cast<int>(ir::Space::optimizer)] = garbage(g.optimizer_bytes);
    Block& scalars = blocks_[static_cast<int>(ir::Space::scalars)] =
        garbage(4 * (g.scalar_count > 4 ? g.scalar_count : 4));
    std::memcpy(scalars.data(), &leaves.seed, 8);
    std::memcpy(scalars.data() + 8, &leaves.step, 8);
    for (std::size_t i = 4; i < leaves.scalars.size(); ++i)
      write_element(scalars.data() + 4 * i, DType::f32, leaves.scalars[i]);
    for (std::size_t s = 0; s < leaves.slots.size(); ++s) {
      const ir::Slot& slot = g.slots[static_cast<int>(s)];
      for (std::size_t k = 0; k < leaves.slots[s].size(); ++k)
        write_element(
            byte(kernel_ir::BufferAddress::make(slot.space, slot.offset), static_cast<i64>(k), slot.dtype),
            slot.dtype, leaves.slots[s][k]);
    }
  }

  void run() {
    bound_.assign(static_cast<std::size_t>(lowered_.bindings.size()), kernel_ir::BufferAddress::none);
    run(0, lowered_.steps.size());
  }

  Array output(int k) {
    return memory(plan_.outputs[k], g.nodes[g.outputs[k]].dtype, g.dims(g.outputs[k]).size());
  }
  Array slot(int s) {
    const ir::Slot& at = g.slots[s];
    return memory(kernel_ir::BufferAddress::make(at.space, at.offset), at.dtype, g.shapes[at.shape].size());
  }

 private:
  using Block = std::vector<std::byte>;
  static Block garbage(i64 bytes) { return Block(static_cast<std::size_t>(bytes), std::byte{0xcb}); }
  static Block stored(DType t, const Array& values) {
    Block b(values.size() * static_cast<std::size_t>(size_of(t)));
    for (std::size_t k = 0; k < values.size(); ++k)
      write_element(b.data() + k * static_cast<std::size_t>(size_of(t)), t, values[k]);
    return b;
  }

  void run(int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const compiler::Step& s = lowered_.steps[i];
      if (s.kind != compiler::StepKind::repeat) {
        step(s);
        continue;
      }
      const compiler::RepeatCall loop = lowered_.repeat_call(s);
      for (i64 trip = 0; trip < loop.trips; ++trip) {
        for (int k = loop.first_binding; k < loop.first_binding + loop.bindings; ++k) {
          const compiler::Binding& b = lowered_.bindings[k];
          const u64 none = kernel_ir::BufferAddress::none;
          const u64 from = trip == 0 && b.first != none                          ? b.first
                           : b.other != none && (loop.trips - 1 - trip) % 2 == 1 ? b.other
                                                                                 : b.base;
          if (from != none)
            bound_[static_cast<std::size_t>(k)] = resolved(from) + static_cast<u64>(trip * b.stride);
        }
        run(i + 1, i + 1 + loop.inside);
      }
      i += loop.inside;
    }
  }
  // What an address inside a loop is in the trip at hand.
  u64 resolved(u64 address) const {
    if (address == kernel_ir::BufferAddress::none ||
        kernel_ir::BufferAddress::space(address) != ir::Space::bound)
      return address;
    return bound_[static_cast<std::size_t>(kernel_ir::BufferAddress::index(address))] +
           static_cast<u64>(kernel_ir::BufferAddress::offset(address));
  }

  // Element k behind `address`.
  std::byte* byte(u64 address, i64 k, DType t) {
    address = resolved(address);
    const ir::Space space = kernel_ir::BufferAddress::space(address);
    Block& block = space == ir::Space::input
                       ? inputs_[static_cast<std::size_t>(kernel_ir::BufferAddress::index(address))]
                       : blocks_[static_cast<int>(space)];
    const i64 at = kernel_ir::BufferAddress::offset(address) + k * size_of(t);
    if (address == kernel_ir::BufferAddress::none || at < 0 ||
        at + size_of(t) > static_cast<i64>(block.size()))
      throw Error("test/bounds", "a kernel reaches outside its block");
    return block.data() + at;
  }
  double read(u64 address, i64 k, DType t) { return read_element(byte(address, k, t), t); }
  void write(u64 address, i64 k, DType t, double v) { write_element(byte(address, k, t), t, v); }
  Array memory(u64 address, DType t, i64 size) {
    Array r;
    for (i64 k = 0; k < size; ++k) r.push_back(read(address, k, t));
    return r;
  }

  void step(const compiler::Step& s) {
    const u64* words = lowered_.words.data() + lowered_.kernels[s.kernel].words.begin;
    const u64* address = lowered_.addresses.data() + s.addresses.begin;
    const u64* number = lowered_.numbers.data() + s.numbers.begin;
    const auto n = [&](int k) { return static_cast<i64>(number[k]); };
    switch (s.kind) {
      case compiler::StepKind::fused:
        return fused(words, address, number, s.numbers.size);
      case compiler::StepKind::combine_partials:
        for (int k = 0; k < s.numbers.size; k += kernels::CombineCall::numbers, address += 2) {
          const auto sum = kernels::CombineCall::decode(number + k);
          for (i64 b = 0; b < sum.batches; ++b)
            for (i64 i = 0; i < sum.count; ++i) {
              const u64 first = address[0] + static_cast<u64>(b * sum.chunks * sum.stride);
              double v = read(first, i, sum.dtype);
              for (i64 c = 1; c < sum.chunks; ++c)
                v = fold(sum.fold, sum.dtype, v,
                         read(first + static_cast<u64>(c * sum.stride), i, sum.dtype));
              write(address[1], b * sum.count + i, sum.dtype, v);
            }
        }
        return;
      case compiler::StepKind::dot: {
        const DType a = static_cast<DType>(words[0]), b = static_cast<DType>(words[1]),
                    c = static_cast<DType>(words[2]);
        Dims batch;
        batch.rank = static_cast<int>(n(8));
        for (int k = 0; k < batch.rank; ++k) batch.extent[k] = n(9 + 4 * k);
        for_each_index(batch, [&](const i64* index, i64) {
          i64 at[3]{};
          for (int k = 0; k < batch.rank; ++k)
            for (int o = 0; o < 3; ++o) at[o] += index[k] * n(10 + 4 * k + o);
          for (i64 i = 0; i < n(0); ++i)
            for (i64 j = 0; j < n(1); ++j) {
              double total = 0;
              for (i64 k = 0; k < n(2); ++k)
                total += read(address[0], at[0] + i * n(3) + k * n(4), a) *
                         read(address[1], at[1] + k * n(5) + j * n(6), b);
              const i64 to = at[2] + i * n(7) + j;
              total = rounded(c, total);
              if (words[3] & kernels::dot_adds) total = rounded(c, total + read(address[3], to, c));
              if (words[3] & kernels::dot_has_bias) total = rounded(c, total + read(address[4], j, c));
              write(address[2], to, c, total);
            }
        });
        return;
      }
      case compiler::StepKind::conv: {
        const DType x = static_cast<DType>(words[0]), w = static_cast<DType>(words[1]),
                    y = static_cast<DType>(words[2]);
        const kernels::ConvShape c = kernels::conv_call(number);
        Dims all;
        all.rank = 6;
        const i64 lead[3]{c.groups, c.batch, c.outputs};
        for (int k = 0; k < 3; ++k) all.extent[k] = lead[k], all.extent[3 + k] = c.axis[k].out;
        for_each_index(all, [&](const i64* p, i64) {
          Dims taps;
          taps.rank = 4;
          taps.extent[0] = c.channels;
          for (int k = 0; k < 3; ++k) taps.extent[1 + k] = c.axis[k].window;
          double total = 0;
          for_each_index(taps, [&](const i64* tap, i64) {
            i64 at_x = p[0] * c.x_g + p[1] * c.x_n + tap[0] * c.x_c;
            i64 at_w = p[0] * c.w_g + p[2] * c.w_o + tap[0] * c.w_c;
            for (int k = 0; k < 3; ++k) {
              const kernels::ConvAxis& a = c.axis[k];
              const i64 place = p[3 + k] * a.stride + tap[1 + k] * a.w_dilation - a.low;
              if (place < 0 || place % a.x_dilation != 0 || place / a.x_dilation >= a.in) return;
              at_x += place / a.x_dilation * a.x;
              at_w += tap[1 + k] * a.w;
            }
            total += read(address[0], at_x, x) * read(address[1], at_w, w);
          });
          i64 at_y = p[0] * c.y_g + p[1] * c.y_n + p[2] * c.y_o;
          for (int k = 0; k < 3; ++k) at_y += p[3 + k] * c.axis[k].y;
          write(address[2], at_y, y, rounded(y, total));
        });
        return;
      }
      case compiler::StepKind::take_rows:
      case compiler::StepKind::scatter_add: {
        const DType t = static_cast<DType>(words[0]), index = static_cast<DType>(words[1]);
        const i64 rows = n(0), count = n(1), width = n(2);
        const bool gathers = s.kind == compiler::StepKind::take_rows;
        for (i64 i = 0; !gathers && i < rows * width; ++i) write(address[2], i, t, 0);
        for (i64 i = 0; i < count; ++i) {
          const i64 row = static_cast<i64>(read(address[1], i, index));
          const bool inside = row >= 0 && row < rows;
          for (i64 j = 0; j < width; ++j) {
            if (gathers)
              write(address[2], i * width + j, t,
                    inside        ? read(address[0], row * width + j, t)
                    : is_float(t) ? std::numeric_limits<double>::quiet_NaN()
                                  : 0);
            else if (inside)
              write(address[2], row * width + j, t,
                    rounded(t, read(address[2], row * width + j, t) + read(address[0], i * width + j, t)));
          }
        }
        return;
      }
      case compiler::StepKind::scan:
      case compiler::StepKind::argsort:
      case compiler::StepKind::take_along_axis:
      case compiler::StepKind::scatter_reduce:
      case compiler::StepKind::searchsorted:
        return line(s.kind, words, address, number);
      case compiler::StepKind::dynamic_slice:
      case compiler::StepKind::dynamic_update_slice: {
        const bool update = s.kind == compiler::StepKind::dynamic_update_slice;
        const DType offset = static_cast<DType>(words[0]);
        const i64 unit = n(0), samples = n(1), size = n(2);
        const int axes = static_cast<int>(n(4)), offsets = (s.numbers.size - 5 - 3 * axes) / 2;
        for (i64 i = 0; i < samples * size; ++i) {
          i64 to = update ? n(3) : 0, from = update ? 0 : n(3), rest = i;
          for (int a = axes - 1; a >= 0; --a) {
            to += rest % n(5 + 3 * a) * n(6 + 3 * a);
            from += rest % n(5 + 3 * a) * n(7 + 3 * a);
            rest /= n(5 + 3 * a);
          }
          for (int k = 0; k < offsets; ++k) {
            const double given = read(address[2 + k], i / size, offset);
            const i64 last = n(5 + 3 * axes + 2 * k), stride = n(6 + 3 * axes + 2 * k);
            (update ? to : from) += (given < 0                           ? 0
                                     : given > static_cast<double>(last) ? last
                                                                         : static_cast<i64>(given)) *
                                    stride;
          }
          for (i64 b = 0; b < unit; ++b)
            *byte(address[0], to + b, DType::u8) = *byte(address[1], from + b, DType::u8);
        }
        return;
      }
      case compiler::StepKind::custom:
        throw Error("test/op", "a program's own primitive has no plain evaluation");
      case compiler::StepKind::attention:
      case compiler::StepKind::attention_gradient: {
        StepMemory memory{*this, address};
        AttentionInterpreter<StepMemory>(words, number, memory).run();
        return;
      }
      case compiler::StepKind::group_collective:
        throw Error("test/lowered", "a collective of a group, of which this is no rank");
      case compiler::StepKind::all_reduce_start:  // of one rank
      case compiler::StepKind::all_reduce_done:
      case compiler::StepKind::reduce_scatter_start:
      case compiler::StepKind::reduce_scatter_done:
      case compiler::StepKind::reduce_scatter_into_done:
      case compiler::StepKind::collective_await:
      case compiler::StepKind::all_gather_done:
      case compiler::StepKind::repeat:
        return;
      case compiler::StepKind::reduce_scatter_into_start: {
        const DType t = static_cast<DType>(n(2));
        for (int k = 0; 6 + 2 * k < s.numbers.size; ++k)
          for (i64 i = 0; i < n(7 + 2 * k); ++i) {
            const i64 at = n(3) + n(6 + 2 * k) + i;
            write(address[2], at, t, read(address[2], at, t) + read(address[3 + k], i, t));
          }
        return;
      }
      case compiler::StepKind::reduce_scatter_state_start:
        for (i64 i = 0; i < n(1); ++i) {
          const DType t = static_cast<DType>(n(2)), added = t == DType::bf16 ? DType::f32 : t;
          write(address[3], i, added, read(address[3], i, added) + read(address[2], i, t));
        }
        return;
      case compiler::StepKind::all_gather_state_start:
        for (i64 i = 0; i < n(1); ++i)
          write(address[0], i, static_cast<DType>(n(2)), read(address[2], i, static_cast<DType>(n(6))));
        return;
      case compiler::StepKind::all_reduce_max:
      case compiler::StepKind::all_gather_start:
        for (i64 i = 0; i < n(1) * size_of(static_cast<DType>(n(2))); ++i)
          *byte(address[0], i, DType::u8) = *byte(address[2], i, DType::u8);
        return;
      case compiler::StepKind::copy:
        std::vector<std::byte> held;
        for (i64 i = 0; i < n(0); ++i) held.push_back(*byte(address[0], i, DType::u8));
        for (i64 i = 0; i < n(0); ++i) *byte(address[1], i, DType::u8) = held[static_cast<std::size_t>(i)];
        return;
    }
  }

  // What an attention's step reaches.
  struct StepMemory {
    Machine& machine;
    const u64* address;
    bool given(int pointer) const { return address[pointer] != kernel_ir::BufferAddress::none; }
    double read(int pointer, i64 k, DType t) { return machine.read(address[pointer], k, t); }
    void write(int pointer, i64 k, DType t, double v) { machine.write(address[pointer], k, t, v); }
    std::pair<u64, u64> seed_and_step() {
      std::pair<u64, u64> r;
      std::memcpy(&r.first, machine.byte(address[kernels::AttentionPointers::seed], 0, DType::i64), 8);
      std::memcpy(&r.second, machine.byte(address[kernels::AttentionPointers::seed], 1, DType::i64), 8);
      return r;
    }
  };

  // Reads both operands whole, by their strides, and has interpret_along_axis.hpp work on them.
  void line(compiler::StepKind kind, const u64* words, const u64* address, const u64* number) {
    using Kind = compiler::StepKind;
    const auto n = [&](int k) { return static_cast<i64>(number[k]); };
    const DType a = static_cast<DType>(words[0]), b = static_cast<DType>(words[1]);
    const i64 outer = n(0), extent = n(1), inner = n(2), count = n(6);
    const auto whole = [&](u64 at, DType t, i64 length, const u64* stride) {
      Array r;
      for (i64 o = 0; o < outer; ++o)
        for (i64 i = 0; i < length; ++i)
          for (i64 k = 0; k < inner; ++k)
            r.push_back(read(at,
                             o * static_cast<i64>(stride[0]) + i * static_cast<i64>(stride[1]) +
                                 k * static_cast<i64>(stride[2]),
                             t));
      return r;
    };
    const bool folds = kind == Kind::scatter_reduce;
    const Array x = whole(address[0], a, folds ? count : extent, number + 3);
    const Array y =
        kind == Kind::scan || kind == Kind::argsort ? Array{} : whole(address[1], b, count, number + 7);
    const ir::AxisExtents lines{outer, extent, inner};
    const auto f = static_cast<ir::Fold>(words[2]);
    const DType out = kind == Kind::argsort || kind == Kind::searchsorted ? DType::i64 : a;
    const Array r = kind == Kind::scan              ? scan_lines(x, lines, f, n(10) != 0, a)
                    : kind == Kind::argsort         ? argsort_lines(x, lines, count, n(10) != 0)
                    : kind == Kind::take_along_axis ? take_lines(x, y, lines, count, n(10) != 0, a)
                    : kind == Kind::scatter_reduce  ? scatter_lines(y, x, lines, count, f, a)
                                                    : search_lines(x, y, lines, count, n(10) != 0);
    for (std::size_t k = 0; k < r.size(); ++k) write(address[2], static_cast<i64>(k), out, r[k]);
    if (address[3] != kernel_ir::BufferAddress::none)  // what a sort may leave in its scratch
      for (i64 k = 0; k < outer * extent * inner * 2 * (size_of(a) == 8 ? 2 : 1); ++k)
        write(address[3], k, DType::i64, -77);
  }

  static double fold(kernels::Fold f, DType t, double a, double b) {
    switch (f) {
      case kernels::Fold::sum:
        return rounded(t, a + b);
      case kernels::Fold::prod:
        return rounded(t, a * b);
      case kernels::Fold::max:
        return evaluate(ir::Op::max, t, t, a, b, 0);
      default:
        return evaluate(ir::Op::min, t, t, a, b, 0);
    }
  }
  static double neutral(kernels::Fold f) {
    const double infinity = std::numeric_limits<double>::infinity();
    return f == kernels::Fold::sum                                 ? 0
           : f == kernels::Fold::prod                              ? 1
           : f == kernels::Fold::max || f == kernels::Fold::argmax ? -infinity
                                                                   : infinity;
  }

  // ---- one fused kernel ----
  struct Running {
    double value = 0;
    i64 where = 0;
    bool any = false;
  };

  void fused(const u64* w, const u64* address, const u64* number, int numbers) {
    using kernels::Opcode;
    const kernels::FusedHeader h = kernels::FusedHeader::decode(w);
    const int extent_at = 2 + h.sections(), operand_at = extent_at + h.axes(),
              operand_words = h.operand_words();
    const u64* code = w + operand_at + operand_words * h.operands;
    std::vector<kernels::Instruction> program;
    for (int i = 0; i < h.instructions; ++i)
      program.push_back(kernels::decode(code + kernels::instruction_words * i));
    const auto call = kernels::FusedCall::decode(number);
    const i64 rows = call.rows, per_chunk = call.rows_per_chunk, chunks = call.chunks;
    const i64 last_cols = call.last_cols, partial_bytes = call.partial_bytes;
    Dims space, columns;
    space.rank = h.axes();
    for (int a = 0; a < h.axes(); ++a) space.extent[a] = static_cast<i64>(w[extent_at + a]);
    columns.rank = h.col_axes;
    for (int a = 0; a < h.col_axes; ++a) columns.extent[a] = space.extent[h.row_axes + a];
    const bool flat = columns.extent[h.col_axes - 1] == 0;
    std::vector<double> registers(program.size()), kept;
    std::vector<Running> folds(program.size()), totals(program.size());
    i64 index[max_rank + 2]{}, linear = 0, chunk = 0, segment_at = 0;
    bool first_row = false;

    const auto stride = [&](int k, int a) {
      return static_cast<i64>(w[operand_at + k * operand_words + 1 + a]);
    };
    const auto bound = [&](int k, int which, int a) {
      return static_cast<i64>(w[operand_at + k * operand_words + 1 + which * h.axes() + a]);
    };
    const auto word = [&](int k) { return kernels::OperandWord::decode(w[operand_at + k * operand_words]); };
    const auto position = [&](int k, kernels::Stage stage) {
      if (h.segmented)
        return stage == kernels::Stage::chunk
                   ? 0
                   : (segment_at + (stage == kernels::Stage::element ? linear : 0)) * stride(k, 1);
      i64 at = 0;
      for (int a = 0; a < h.axes(); ++a)
        if (stage == kernels::Stage::element || (stage == kernels::Stage::row && a < h.row_axes))
          at += index[a] * stride(k, a);
      return at;
    };
    // Batches of rows with sums of their own: each has its places, or chunks are parts of one.
    i64 batch_rows = h.batch_axes > 0 ? 1 : rows;
    bool placed = false;
    for (int a = h.batch_axes; h.batch_axes > 0 && a < h.row_axes; ++a) batch_rows *= space.extent[a];
    for (int k = 0; k < h.operands; ++k)
      for (int a = 0; a < h.batch_axes; ++a)
        placed = placed || (word(k).role == kernels::Role::accumulate_columns && stride(k, a) != 0);
    const bool in_parts = h.batch_axes > 0 && !placed;
    const i64 parts = in_parts ? (batch_rows + per_chunk - 1) / per_chunk : 1;

    const auto execute = [&](int i) {
      const kernels::Instruction& in = program[static_cast<std::size_t>(i)];
      const DType t = static_cast<DType>(in.dtype);
      const auto reg = [&](int r) { return registers[static_cast<std::size_t>(r)]; };
      double& out = registers[static_cast<std::size_t>(i)];
      switch (in.op) {
        case Opcode::constant:
          out = rounded(t, ir::constant_value(t, in.imm));
          return;
        case Opcode::load: {
          if (!word(in.aux).window) {
            out = read(address[in.aux], position(in.aux, in.stage), word(in.aux).dtype);
            return;
          }
          i64 at = 0;
          bool inside = true;
          for (int a = 0; a < h.axes(); ++a) {
            const i64 low = bound(in.aux, 1, a), high = bound(in.aux, 2, a);
            inside = inside && index[a] >= low && index[a] < high;
            at += (index[a] - low) * stride(in.aux, a);
          }
          out = inside ? read(address[in.aux], at, word(in.aux).dtype) : ir::constant_value(t, in.imm);
          return;
        }
        case Opcode::index:
          out = static_cast<double>(position(in.aux, in.stage));
          return;
        case Opcode::random: {
          u64 seed = 0, step = 0;
          std::memcpy(&seed, byte(address[in.aux2], 0, DType::i64), 8);
          std::memcpy(&step, byte(address[in.aux2], 1, DType::i64), 8);
          if (static_cast<int>(in.aux) >= call.streams)
            throw Error("test/stream", "a kernel names a random stream it was not given");
          out = random_word(seed, step, static_cast<u32>(number[call.streams_at + in.aux]),
                            static_cast<u32>(static_cast<i64>(reg(in.a))));
          return;
        }
        case Opcode::reduce: {
          Running& r = folds[static_cast<std::size_t>(i)];
          const kernels::Fold f = static_cast<kernels::Fold>(in.aux);
          if (f == kernels::Fold::argmax || f == kernels::Fold::argmin) {
            const double v = reg(in.a);
            const bool better = f == kernels::Fold::argmax ? v > r.value : v < r.value;
            if (!r.any || better || (v == r.value && linear < r.where)) r = {v, linear, true};
          } else {
            r.value = fold(f, t, r.value, reg(in.a));
          }
          return;
        }
        case Opcode::store:
          write(address[in.aux], position(in.aux, in.stage), word(in.aux).dtype, reg(in.a));
          return;
        case Opcode::accumulate: {
          const kernels::Fold f = static_cast<kernels::Fold>(in.aux2);
          if (word(in.aux).role == kernels::Role::accumulate_total) {
            Running& r = totals[static_cast<std::size_t>(i)];
            r.value = fold(f, t, r.value, reg(in.a));
          } else {
            const u64 to = address[in.aux] + static_cast<u64>(placed ? 0 : chunk * partial_bytes);
            const i64 at = (placed ? position(in.aux, kernels::Stage::row) : 0) + linear;
            const DType s = word(in.aux).dtype;
            write(to, at, s, first_row ? reg(in.a) : fold(f, t, read(to, at, s), reg(in.a)));
          }
          return;
        }
        case Opcode::keep:
          kept[static_cast<std::size_t>(in.aux * columns.size() + linear)] = reg(in.a);
          return;
        case Opcode::kept:
          out = kept[static_cast<std::size_t>(in.aux * columns.size() + linear)];
          return;
        default:
          break;
      }
      const ir::Op op = static_cast<ir::Op>(static_cast<int>(in.op) + static_cast<int>(ir::Op::neg));
      const int typed = in.op == Opcode::select ? in.b : in.a;
      out = evaluate(op, t, static_cast<DType>(program[static_cast<std::size_t>(typed)].dtype), reg(in.a),
                     reg(in.b), reg(in.c));
    };
    const auto section = [&](int s) {
      const int begin = s == 0 ? 0 : static_cast<int>(w[2 + s - 1]), end = static_cast<int>(w[2 + s]);
      for (int i = begin; i < end; ++i) execute(i);
    };

    std::vector<i64> sequence;
    for (i64 c = 0; c < chunks; ++c) sequence.push_back(c);
    std::shuffle(sequence.begin(), sequence.end(), order_);
    for (const i64 c : sequence) {
      chunk = c;
      for (i64& x : index) x = 0;
      section(0);
      for (std::size_t i = 0; i < program.size(); ++i)
        if (program[i].op == Opcode::accumulate)
          totals[i] = {neutral(static_cast<kernels::Fold>(program[i].aux2)), 0, false};
      // of chunks that are elements: those of this one
      const i64 row_size = flat ? kernel_ir::flat_tile : columns.size();
      const i64 size = (rows - 1) * row_size + (flat ? last_cols : row_size);
      const i64 least = h.by_elements ? c * per_chunk : 0,
                most = h.by_elements && least + per_chunk < size ? least + per_chunk : size;
      const i64 last = in_parts ? (c / parts + 1) * batch_rows : rows;
      const i64 first = h.by_elements ? least / row_size
                        : in_parts    ? c / parts * batch_rows + c % parts * per_chunk
                                      : c * per_chunk,
                end = h.by_elements              ? (most + row_size - 1) / row_size
                      : first + per_chunk < last ? first + per_chunk
                                                 : last;
      for (i64 row = first; row < end; ++row) {
        first_row = row == first || (placed && row % batch_rows == 0);
        i64 rest = row;
        for (int a = h.row_axes - 1; a > 0; --a) index[a] = rest % space.extent[a], rest /= space.extent[a];
        index[0] = rest;
        if (flat) columns.extent[h.col_axes - 1] = row + 1 == rows ? last_cols : kernel_ir::flat_tile;
        if (h.segmented) {
          for (int k = 0; k < call.segments(numbers); ++k) {
            const kernels::Segment segment = call.segment(number, k);
            const i64 tile = row - segment.first_tile, from = tile * kernels::tile_length;
            if (tile < 0 || from >= segment.length) continue;
            segment_at = segment.offset + from;
            columns.extent[h.col_axes - 1] =
                segment.length - from < kernels::tile_length ? segment.length - from : kernels::tile_length;
          }
        }
        if (h.kept > 0)
          kept.assign(static_cast<std::size_t>(h.kept * columns.size()),
                      std::numeric_limits<double>::quiet_NaN());
        std::vector<i64> walk;
        for (i64 k = 0; k < columns.size(); ++k)
          if (!h.by_elements || (row * row_size + k >= least && row * row_size + k < most)) walk.push_back(k);
        for (int pass = 0; pass < h.passes; ++pass) {
          for (int a = h.row_axes; a < h.axes(); ++a) index[a] = 0;
          section(2 * pass + 1);
          for (std::size_t i = 0; i < program.size(); ++i)
            if (program[i].op == Opcode::reduce)
              folds[i] = {neutral(static_cast<kernels::Fold>(program[i].aux)), 0, false};
          std::shuffle(walk.begin(), walk.end(), order_);
          for (const i64 k : walk) {
            i64 left = linear = k;
            for (int a = h.col_axes - 1; a >= 0; --a)
              index[h.row_axes + a] = left % columns.extent[a], left /= columns.extent[a];
            section(2 * pass + 2);
          }
          const int begin = static_cast<int>(w[2 + 2 * pass + 1]),
                    after = static_cast<int>(w[2 + 2 * pass + 2]);
          for (int i = begin; i < after; ++i) {
            const kernels::Instruction& in = program[static_cast<std::size_t>(i)];
            if (in.op != Opcode::reduce) continue;
            const Running& r = folds[static_cast<std::size_t>(i)];
            const bool arg = in.aux >= static_cast<u16>(kernels::Fold::argmax);
            registers[static_cast<std::size_t>(i)] = arg ? static_cast<double>(r.where) : r.value;
          }
        }
        for (int a = h.row_axes; a < h.axes(); ++a) index[a] = 0;
        section(2 * h.passes + 1);
      }
      for (std::size_t i = 0; i < program.size(); ++i) {
        const kernels::Instruction& in = program[i];
        if (in.op != Opcode::accumulate || word(in.aux).role != kernels::Role::accumulate_total) continue;
        write(address[in.aux] + static_cast<u64>(c * partial_bytes), 0, word(in.aux).dtype, totals[i].value);
      }
    }
  }

  const ir::Graph& g;
  const kernel_ir::Plan& plan_;
  const compiler::Lowered& lowered_;
  std::mt19937 order_;
  std::vector<Block> inputs_;
  std::vector<u64> bound_;
  Block blocks_[8];
};

}  // namespace weft::testing
