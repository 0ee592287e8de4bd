#pragma once
// Lowered kernels and launches as text, for golden files and for people. Law: equal words give equal text, in
// any locale and with any compiler; the text tells everything that a kernel does.
//
//   fused: rows (128), columns (10), 2 passes
//     p0: load f32 strides (10; 1)
//     element 0:
//       %0 = f32 load p0
//
// %k is the k-th instruction, pK an operand, whose strides are those of the row axes; those of the column
// axes.

#include <bit>
#include <charconv>
#include <string>

#include "weft/compiler/lowered.hpp"
#include "weft/kernels/conv/shape.hpp"
#include "weft/kernels/gemm/call.hpp"

namespace WEFT_NAMESPACE::compiler {

namespace disassemble_detail {

inline constexpr const char* role_names[]{"load",  "store", "index", "accumulate_columns", "accumulate_total",
                                          "random"};
inline constexpr const char* space_names[]{"model",   "optimizer", "workspace", "input",
                                           "scalars", "output",    "bound"};
inline constexpr const char* kind_names[]{"fused",
                                          "combine_partials",
                                          "dot",
                                          "take_rows",
                                          "scatter_add",
                                          "copy",
                                          "conv",
                                          "scan",
                                          "argsort",
                                          "take_along_axis",
                                          "scatter_reduce",
                                          "searchsorted",
                                          "dynamic_slice",
                                          "dynamic_update_slice",
                                          "custom",
                                          "all_reduce_start",
                                          "all_reduce_done",
                                          "reduce_scatter_start",
                                          "reduce_scatter_done",
                                          "reduce_scatter_into_start",
                                          "reduce_scatter_into_done",
                                          "reduce_scatter_state_start",
                                          "all_reduce_max",
                                          "all_gather_state_start",
                                          "all_gather_start",
                                          "collective_await",
                                          "all_gather_done",
                                          "group_collective",
                                          "attention",
                                          "attention_gradient",
                                          "repeat"};
static_assert(std::size(kind_names) == static_cast<std::size_t>(StepKind::repeat) + 1);
static_assert(std::size(space_names) == static_cast<std::size_t>(ir::Space::bound) + 1);
static_assert(std::size(role_names) == static_cast<std::size_t>(kernels::Role::random) + 1);

// The pointwise instructions have the primitives' names (lower/fused.hpp asserts the order).
inline const char* name_of(kernels::Opcode op) {
  using kernels::Opcode;
  static constexpr const char* rest[]{"constant", "load",       "index", "random", "reduce",
                                      "store",    "accumulate", "keep",  "kept"};
  static_assert(std::size(rest) ==
                static_cast<std::size_t>(Opcode::kept) - static_cast<std::size_t>(Opcode::fma));
  const int k = static_cast<int>(op), pointwise = static_cast<int>(Opcode::fma) + 1;
  if (k < pointwise) return ir::info(static_cast<ir::Op>(k + static_cast<int>(ir::Op::neg))).name;
  return rest[k - pointwise];
}
inline const char* name_of(u64 dtype) { return weft::name_of(static_cast<DType>(dtype)); }

inline std::string number(DType dtype, u64 bits) {
  if (!is_float(dtype)) return std::to_string(static_cast<i64>(bits));
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, std::bit_cast<double>(bits));
  return {text, end.ptr};
}
// (3, 4; 1): the first `split` words, and the rest.
inline std::string list(const u64* words, int count, int split) {
  std::string out = "(";
  for (int i = 0; i < count; ++i) {
    if (i > 0) out += i == split ? "; " : ", ";
    if (i == 0 && split == 0) out += "; ";
    out += std::to_string(static_cast<i64>(words[i]));
  }
  return out + (split == count && count > 0 ? ";)" : ")");
}

inline std::string operand(int k) { return "p" + std::to_string(k); }
inline std::string value(int k) { return "%" + std::to_string(k); }

inline std::string instruction(const u64* words, int at) {
  using kernels::Opcode;
  const kernels::Instruction i = kernels::decode(words);
  const auto dtype = static_cast<DType>(i.dtype);
  const std::string typed = std::string(weft::name_of(dtype)) + " " + name_of(i.op);
  const std::string made = value(at) + " = " + typed;
  const char* const compensated = i.compensated ? " compensated " : " ";
  switch (i.op) {
    case Opcode::constant:
      return made + " " + number(dtype, i.imm);
    case Opcode::load:
      return made + " " + operand(i.aux) + (i.imm != 0 ? " else " + number(dtype, i.imm) : "");
    case Opcode::index:
      return made + " " + operand(i.aux);
    case Opcode::random:
      return made + " " + value(i.a) + " stream " + std::to_string(i.aux) + " seed " + operand(i.aux2);
    case Opcode::reduce:
      return made + compensated + fold_names[i.aux] + " " + value(i.a);
    case Opcode::store:
      return typed + " " + value(i.a) + " to " + operand(i.aux);
    case Opcode::accumulate:
      return typed + compensated + fold_names[i.aux2] + " " + value(i.a) + " to " + operand(i.aux);
    case Opcode::keep:
      return typed + " " + value(i.a) + " in slot " + std::to_string(i.aux);
    case Opcode::kept:
      return made + " slot " + std::to_string(i.aux);
    default: {
      const int arity =
          ir::info(static_cast<ir::Op>(static_cast<int>(i.op) + static_cast<int>(ir::Op::neg))).arity;
      const u16 operands[]{i.a, i.b, i.c};
      std::string out = made;
      for (int k = 0; k < arity; ++k) out += (k > 0 ? ", " : " ") + value(operands[k]);
      return out;
    }
  }
}

inline std::string fused(const u64* w) {
  const kernels::FusedHeader h = kernels::FusedHeader::decode(w);
  std::string out = "fused: rows " + list(w + h.extent_at(), h.row_axes, -1) + ", columns " +
                    list(w + h.extent_at() + h.row_axes, h.col_axes, -1) + ", " + std::to_string(h.passes) +
                    (h.passes == 1 ? " pass" : " passes");
  if (h.kept > 0) out += ", " + std::to_string(h.kept) + " kept";
  if (h.segmented) out += ", segmented";
  if (h.even) out += ", even";
  if (h.by_elements) out += ", chunks of elements";
  if (h.batch_axes > 0)
    out += ", sums by " + std::to_string(h.batch_axes) + (h.batch_axes == 1 ? " axis" : " axes");
  out += '\n';
  for (int k = 0; k < h.operands; ++k) {
    const u64* words = w + h.operand_at() + k * h.operand_words();
    const auto word = kernels::OperandWord::decode(words[0]);
    out += "  " + operand(k) + ": " + role_names[static_cast<int>(word.role)] + " " +
           weft::name_of(word.dtype) + " strides " + list(words + 1, h.axes(), h.row_axes);
    if (word.window)
      out += " from " + list(words + 1 + h.axes(), h.axes(), h.row_axes) + " to " +
             list(words + 1 + 2 * h.axes(), h.axes(), h.row_axes);
    out += '\n';
  }
  int at = 0;
  for (int s = 0; s < h.sections(); ++s) {
    const int end = static_cast<int>(w[h.section_at + s]);
    if (at == end) continue;
    out +=
        s == 0 ? "  chunk:\n" : (s % 2 != 0 ? "  row " : "  element ") + std::to_string((s - 1) / 2) + ":\n";
    for (; at < end; ++at)
      out += "    " + instruction(w + h.instruction_at() + kernels::instruction_words * at, at) + "\n";
  }
  return out;
}

inline std::string address(u64 a) {
  using kernel_ir::BufferAddress;
  if (a == BufferAddress::none) return "none";
  const ir::Space space = BufferAddress::space(a);
  std::string out = space_names[static_cast<int>(space)];
  if (space == ir::Space::input || space == ir::Space::output || space == ir::Space::bound)
    out += std::to_string(BufferAddress::index(a));
  return out + (BufferAddress::offset(a) != 0 ? "+" + std::to_string(BufferAddress::offset(a)) : "");
}

}  // namespace disassemble_detail

// One kernel, of the kind and with the words that lowering gave it.
inline std::string disassemble(StepKind kind, const u64* w, int size) {
  using disassemble_detail::name_of;
  if (kind == StepKind::fused) return disassemble_detail::fused(w);
  std::string out = disassemble_detail::kind_names[static_cast<int>(kind)];
  switch (kind) {
    case StepKind::dot:
      out += std::string(": ") + name_of(w[0]) + ", " + name_of(w[1]) + " to " + name_of(w[2]);
      if ((w[3] & kernels::dot_adds) != 0) out += ", adds";
      if ((w[3] & kernels::dot_has_bias) != 0) out += ", bias";
      if ((w[3] & kernels::dot_is_tf32) != 0) out += ", tf32";
      break;
    case StepKind::conv:
      out += std::string(": ") + name_of(w[0]) + ", " + name_of(w[1]) + " to " + name_of(w[2]);
      if (w[3] == kernels::conv_is_tf32) out += ", tf32";
      break;
    case StepKind::take_rows:
    case StepKind::scatter_add:
      out += std::string(": ") + name_of(w[0]) + " by " + name_of(w[1]);
      break;
    case StepKind::custom:
      out += ": " + std::to_string(w[0]) + (w[1] != 0 ? " without gradient" : "");
      for (u64 k = 0; k < w[2]; ++k) out += std::string(k == 0 ? " " : ", ") + name_of(w[3 + k]);
      break;
    case StepKind::scan:
      out += std::string(": ") + name_of(w[0]) + " " + fold_names[w[2]];
      break;
    case StepKind::argsort:
      out += std::string(": ") + name_of(w[0]);
      break;
    case StepKind::take_along_axis:
      out += std::string(": ") + name_of(w[0]) + " by " + name_of(w[1]);
      break;
    case StepKind::scatter_reduce:
      out += std::string(": ") + name_of(w[0]) + " by " + name_of(w[1]) + " " + fold_names[w[2]];
      break;
    case StepKind::dynamic_slice:
    case StepKind::dynamic_update_slice:
      out += std::string(": by ") + name_of(w[0]);
      break;
    case StepKind::searchsorted:
      out += std::string(": ") + name_of(w[1]) + " in " + name_of(w[0]);
      break;
    default:
      for (int i = 0; i < size; ++i) out += " " + std::to_string(w[i]);
  }
  return out + "\n";
}

// A fused kernel by its type, which profilers and debuggers show.
template <u64... W>
std::string disassemble(kernels::Code<W...>) {
  const u64 words[]{W...};
  return disassemble_detail::fused(words);
}

// All kernels, and the launches in order: kernel, addresses, numbers.
inline std::string disassemble(const Lowered& l) {
  std::string out;
  for (int k = 0; k < l.kernels.size(); ++k)
    out += "k" + std::to_string(k) + " " +
           disassemble(l.kernels[k].kind, l.words.data() + l.kernels[k].words.begin, l.kernels[k].words.size);
  for (const Step& step : l.steps) {
    out += "launch k" + std::to_string(step.kernel) + " (";
    for (int i = 0; i < step.addresses.size; ++i)
      out += (i > 0 ? ", " : "") + disassemble_detail::address(l.addresses[step.addresses.begin + i]);
    out += ")";
    for (int i = 0; i < step.numbers.size; ++i)
      out += " " + std::to_string(static_cast<i64>(l.numbers[step.numbers.begin + i]));
    out += '\n';
  }
  for (int k = 0; k < l.bindings.size(); ++k) {
    const Binding& b = l.bindings[k];
    out += "bound" + std::to_string(k) + ": first " + disassemble_detail::address(b.first) + ", then " +
           disassemble_detail::address(b.base) + " by " + std::to_string(b.stride) + ", odd " +
           disassemble_detail::address(b.other) + (b.ahead ? ", ahead\n" : "\n");
  }
  return out;
}

}  // namespace WEFT_NAMESPACE::compiler
