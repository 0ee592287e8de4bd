#pragma once
// A graph as text, one line a node, for golden tests and for people. Law: equal graphs give equal text, in
// any locale and with any compiler; the text tells everything that a pass may read.
//
//   %5 = dot(%0, %4) batch () with () contract (1) with (1) : f32 (8, 10)

#include <charconv>
#include <string>

#include "weft/ir/conv.hpp"
#include "weft/ir/custom.hpp"
#include "weft/ir/group.hpp"
#include "weft/ir/loop.hpp"

namespace WEFT_NAMESPACE::ir {

namespace print_detail {

inline void add(std::string& out, i64 number) { out += std::to_string(number); }

// The shortest decimal that reads back as the same number.
template <class Float>
requires(std::is_floating_point_v<Float>) void add(std::string& out, Float number) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, number);
  out.append(text, end.ptr);
}

inline void add_list(std::string& out, const int* numbers, int count) {
  out += '(';
  for (int i = 0; i < count; ++i) {
    if (i > 0) out += ", ";
    add(out, i64{numbers[i]});
  }
  out += ')';
}

// What an attribute list means for its primitive.
inline void add_attributes(std::string& out, const Graph& g, int node) {
  const Node& n = g.nodes[node];
  if (n.op == Op::dot) {
    const DotAxes axes = dot_axes(g, node);
    out += " batch ";
    add_list(out, axes.batch_a, axes.batch);
    out += " with ";
    add_list(out, axes.batch_b, axes.batch);
    out += " contract ";
    add_list(out, axes.contracted_a, axes.contracted);
    out += " with ";
    add_list(out, axes.contracted_b, axes.contracted);
  } else if (n.op == Op::conv) {
    const ConvAxes axes = conv_axes(g, node);
    out += " as ";
    for (int k = 0; k < 3; ++k) out += "GNO"[axes.order[k]];
    for (int k = 0; k < axes.spatial; ++k) {
      const ConvAxis& a = axes.axis[k];
      out += " stride ";
      add(out, a.stride);
      out += " pad ";
      add(out, a.low);
      out += ':';
      add(out, a.high);
      out += " dilate ";
      add(out, a.x_dilation);
      out += ':';
      add(out, a.w_dilation);
    }
  } else if (n.op == Op::loop) {
    const LoopShape s = loop_shape(g, node);
    out += " trips ";
    add(out, s.trips);
    if (s.reverse) out += " in reverse";
    out += " carries " + std::to_string(s.carries) + " stacked " + std::to_string(s.stacked) +
           " invariants " + std::to_string(s.invariants) + " outputs " + std::to_string(s.outputs);
    if (s.ahead > 0) out += " ahead " + std::to_string(s.ahead);
  } else if (is_attention(n.op)) {
    out += " captured " + std::to_string(g.attribute(node, 0));
    if (g.attribute(node, 1) != 0) out += " drops";
    for (int k = 2; k < g.attributes(node); ++k)
      out += (k == 2 ? " gradients of " : ", ") + std::to_string(g.attribute(node, k));
  } else if (n.op == Op::custom) {
    out += g.attribute(node, 0) != 0 ? " no gradient of " : " ";
    custom_name(g, node, [&](char c) { out += c; });
  } else if (is_dynamic_slice(n.op)) {
    if (g.attribute(node, 0) > 0) {
      out += " batch ";
      add(out, g.attribute(node, 0));
    }
    out += " begin [";
    for (int k = 1; k < g.attributes(node); ++k) {
      if (k > 1) out += ", ";
      if (g.attribute(node, k) < 0)
        out += "offset";
      else
        add(out, g.attribute(node, k));
    }
    out += ']';
  } else if (n.list >= 0) {
    out += is_along_axis(n.op)       ? " along ["
           : n.op == Op::slice       ? " begin:step ["
           : n.op == Op::pad         ? " low:high ["
           : n.op == Op::flat_concat ? " at ["
           : is_collective(n.op)     ? " from ["
                                     : " axes [";
    const bool pairs = n.op == Op::slice || n.op == Op::pad;
    for (int k = 0; k < g.attributes(node); ++k) {
      if (k > 0) out += pairs && k % 2 == 1 ? ":" : ", ";
      add(out, g.attribute(node, k));
    }
    out += ']';
  }
}

// What `imm` means for its primitive.
inline void add_immediate(std::string& out, const Graph& g, int node) {
  const Node& n = g.nodes[node];
  switch (n.op) {
    case Op::constant:
    case Op::pad:
      out += n.op == Op::pad ? " fill " : " ";
      if (is_float(n.dtype))
        add(out, constant_value(n.dtype, n.imm));
      else
        add(out, static_cast<i64>(n.imm));
      break;
    case Op::input:
    case Op::scalar:
    case Op::result:
      out += ' ';
      add(out, static_cast<i64>(n.imm));
      break;
    case Op::state:
      out += " slot ";
      add(out, static_cast<i64>(n.imm));
      break;
    case Op::iota:
      out += " along ";
      add(out, static_cast<i64>(n.imm));
      break;
    case Op::random:
      out += " stream ";
      add(out, static_cast<i64>(n.imm));
      break;
    case Op::loop:
    case Op::attention:
    case Op::attention_gradient:
      out += " body ";
      add(out, static_cast<i64>(n.imm));
      break;
    case Op::flat_concat:
      out += " group ";
      add(out, static_cast<i64>(n.imm));
      break;
    case Op::all_reduce_start:
    case Op::all_reduce_done:
    case Op::reduce_scatter_start:
    case Op::reduce_scatter_done:
    case Op::reduce_scatter_into_start:
    case Op::reduce_scatter_into_done:
    case Op::reduce_scatter_state_start:
    case Op::all_reduce_max:
    case Op::all_gather_state_start:
    case Op::all_gather_start:
    case Op::collective_await:
    case Op::all_gather_done:
      out += " request ";
      add(out, static_cast<i64>(n.imm));
      break;
    case Op::group_copy:
      out += " of ";
      add(out, static_cast<i64>(n.imm));
      break;
    case Op::group_collective: {
      constexpr const char* kinds[]{" sum of ", " gather of ", " part of ", " scatter of "};
      const GroupCall call = GroupCall::decode(n.imm);
      out += kinds[static_cast<int>(call.kind)];
      add(out, static_cast<i64>(call.degree));
      break;
    }
    case Op::flat_slice:
      out += " at ";
      add(out, static_cast<i64>(n.imm));
      break;
    case Op::dot:
    case Op::conv:
      if (n.imm == dot_tf32) out += " tf32";
      break;
    default:
      break;
  }
}

}  // namespace print_detail

// "f32 (8, 10)"
inline std::string type_text(const Graph& g, int node) {
  return std::string(name_of(g.nodes[node].dtype)) + " " + to_text(g.dims(node)).c_str();
}

inline std::string print_node(const Graph& g, int node) {
  using print_detail::add;
  const Node& n = g.nodes[node];
  std::string out = "%" + std::to_string(node) + " = " + info(n.op).name;
  if (n.arity > 0) {
    out += '(';
    for (int k = 0; k < n.arity; ++k) {
      if (k > 0) out += ", ";
      out += '%';
      add(out, i64{g.in(node, k)});
    }
    out += ')';
  }
  print_detail::add_immediate(out, g, node);
  print_detail::add_attributes(out, g, node);
  return out + " : " + type_text(g, node);
}

// "model + 512", "optimizer + 256 over group 0"
inline std::string print_slot(const Graph& g, int slot) {
  constexpr const char* names[] = {"model", "optimizer", "workspace", "input", "scalars", "output"};
  const Slot& s = g.slots[slot];
  std::string out = "slot " + std::to_string(slot) + " = " + names[static_cast<int>(s.space)] + " + " +
                    std::to_string(s.offset);
  if (s.segments >= 0) out += " over group " + std::to_string(s.segments);
  return out + " : " + name_of(s.dtype) + " " + to_text(g.shapes[s.shape]).c_str();
}

inline std::string print(const Graph& g) {
  std::string out;
  for (int s = 0; s < g.slots.size(); ++s) out += print_slot(g, s) + "\n";
  for (int k = 0; k < g.param_groups.size(); ++k) {
    out += "group " + std::to_string(k) + " =";
    for (int r = 0; r < g.param_groups[k].size; ++r) {
      const Range& range = g.ranges[g.param_groups[k].begin + r];
      out += " [" + std::to_string(range.offset) + ", " + std::to_string(range.offset + range.length) + ")";
    }
    out += '\n';
  }
  for (const Preset& p : g.presets) {
    out += "scalar " + std::to_string(p.scalar) + " = ";
    print_detail::add(out, p.value);
    out += '\n';
  }
  for (int i = 0; i < g.nodes.size(); ++i) out += print_node(g, i) + "\n";
  if (g.outputs.size() > 0) {
    out += "return";
    for (int k = 0; k < g.outputs.size(); ++k) out += (k > 0 ? ", %" : " %") + std::to_string(g.outputs[k]);
    out += '\n';
  }
  for (const Assign& a : g.assigns)
    out += "slot " + std::to_string(a.slot) + " <- %" + std::to_string(a.node) + "\n";
  if (g.key_input >= 0) out += "random by input " + std::to_string(g.key_input) + "\n";
  for (int k = 0; k < g.bodies.size(); ++k) {
    out += "body " + std::to_string(k) + ":\n";
    const std::string body = print(thaw(g.body_words.data() + g.bodies[k].begin));
    for (std::size_t at = 0; at < body.size();) {
      const std::size_t end = body.find('\n', at) + 1;
      out += "  " + body.substr(at, end - at);
      at = end;
    }
  }
  return out;
}

}  // namespace WEFT_NAMESPACE::ir
