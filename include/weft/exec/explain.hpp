#pragma once
// What a program will launch, step by step: the kind of kernel, what was fused into it, its bytes, its FLOPs,
// and the least time these take on a stated machine. Law: the passes run again when explain() is called, so
// that a program which never asks pays nothing; the totals are those of the compiled program.

#include <charconv>
#include <string>
#include <vector>

#include "weft/comm/shares.hpp"
#include "weft/compiler/kernel_kind.hpp"
#include "weft/compiler/pipeline.hpp"
#include "weft/exec/state_names.hpp"
#include "weft/ir/scopes.hpp"
#include "weft/kernels/attention/score_bounds.hpp"

namespace WEFT_NAMESPACE {

// A machine by two numbers: bytes and FLOPs a second. A launch takes at least max(bytes / bandwidth, FLOPs /
// rate).
struct Roofline {
  double bytes_per_second = 20e9;   // of memory
  double flops_per_second = 100e9;  // of arithmetic
  // The least time of a launch.
  double seconds(i64 bytes, i64 flops) const {
    const double memory = static_cast<double>(bytes) / bytes_per_second,
                 compute = static_cast<double>(flops) / flops_per_second;
    return memory > compute ? memory : compute;
  }
};

namespace exec {

// What a step that ranks take together is of: elements [begin, begin + elements) of a vector that they share
// out, or, where that has none, as many that all ranks have. A start sums, gathers or does both; a done
// neither. What is `at_once` has no done, and each rank gets all that every other has.
struct ExplainedCollective {
  int request = -1;  // that its start and its done have; -1: the step is no collective
  i64 elements = 0, element_bytes = 0, begin = 0;
  comm::Shares shared{};
  bool sums = false, gathers = false;
  bool into = false;  // sums into a slot: at most two of these are under way
  bool at_once = false;
};

struct ExplainedStep {
  std::string kernel;  // "map", "row", "column", "all", "segment", "dot", "conv", ...; fused kernels may be
                       // several at once: "row+column"
  std::string shape;   // of the space that it walks, or "m x n x k"
  std::string ops;     // what is fused into it, in order: "mul, add x2, exp"
  std::string scope;   // the modules that it computes for: "h.0.mlp", "after fc2"; ir/scopes.hpp

  // "(8, 128): add, max in fc1"
  std::string text() const { return shape + (ops.empty() ? "" : ": " + ops) + ir::in_scope(scope); }
  i64 bytes = 0, flops = 0;
  i64 launches = 1;      // of it: one a trip
  bool is_loop = false;  // its trips are the steps behind it
  ExplainedCollective collective;
};

struct Explanation {
  std::vector<ExplainedStep> steps;
  i64 bytes = 0, flops = 0, workspace_bytes = 0;
  i64 launches = 0;  // a step inside a loop counts once a trip
};

namespace explain_detail {

inline std::string number(double value, int decimals) {
  char text[48];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals);
  return {text, end.ptr};
}

// Three significant digits: 987, 12.3k; 12.3 kB where `what` is "B".
inline std::string compact(double value, const char* what = "") {
  const char* units[] = {"", "k", "M", "G", "T", "P"};
  int unit = 0;
  while (value >= 999.5 && unit < 5) value /= 1000, ++unit;
  return number(value, unit == 0 || value >= 99.95 ? 0
                       : value >= 9.995            ? 1
                                                   : 2) +
         (*what != 0 ? " " : "") + units[unit] + what;
}

// 840 ns, 20.9 us, 1.25 ms
inline std::string duration(double seconds) {
  const char* units[] = {" s", " ms", " us", " ns"};
  int unit = 0;
  while (seconds > 0 && seconds < 0.9995 && unit < 3) seconds *= 1000, ++unit;
  return number(seconds, unit == 3 || seconds >= 99.95 ? 0 : seconds >= 9.995 ? 1 : 2) + units[unit];
}

inline std::string padded(std::string text, std::size_t width, bool right) {
  if (text.size() < width) text.insert(right ? 0 : text.size(), width - text.size(), ' ');
  return text;
}

// `rest` behind `line`, in at most 79 columns; what does not fit continues below, `indent` columns in.
inline std::string wrapped(std::string line, std::string rest, std::size_t indent) {
  constexpr std::size_t columns = 79;
  std::string out;
  while (true) {
    std::size_t cut = rest.size();
    if (cut > columns - indent) {
      cut = rest.rfind(' ', columns - indent);
      if (cut == std::string::npos || cut == 0) cut = columns - indent;
    }
    out += line + rest.substr(0, cut) + "\n";
    rest.erase(0, cut + (cut < rest.size() && rest[cut] == ' ' ? 1 : 0));
    if (rest.empty()) return out;
    line = std::string(indent, ' ');
  }
}

// The names of a fused kernel's arithmetic, neighbours of one name counted.
inline std::string fused_ops(const ir::Graph& g, const kernel_ir::Fusion& f,
                             const kernel_ir::Kernel& kernel) {
  std::vector<std::pair<std::string, int>> runs;
  for (int i = 0; i < kernel.body.size; ++i) {
    const ir::Op op = g.nodes[f.pool[kernel.body.begin + i]].op;
    if (op == ir::Op::constant || op == ir::Op::broadcast || op == ir::Op::reshape) continue;
    const char* name = ir::info(op).name;
    if (!runs.empty() && runs.back().first == name)
      ++runs.back().second;
    else
      runs.push_back({name, 1});
  }
  std::string out;
  for (const auto& [name, count] : runs) {
    out += (out.empty() ? "" : ", ") + name;
    if (count > 1) out += " x" + std::to_string(count);
  }
  return out.empty() ? "copy" : out;
}

// How many of the tiles of an attention are computed, "52 % of its tiles": "at most" where tensors mask, too.
inline std::string attended_tiles(const u64* code, const ir::AttentionShape& s) {
  i64 all = 0, computed = 0;
  for (i64 b = 0; b < s.batch; ++b)
    for (i64 h = 0; h < s.heads; ++h)
      for (i64 i = 0; i < s.queries; i += kernels::attention_strip)
        for (i64 j = 0; j < s.keys; j += kernels::attention_keys) {
          kernels::GridTile tile{{b, h, i, j},
                                 {b + 1, h + 1, i + kernels::attention_strip, j + kernels::attention_keys}};
          if (tile.end[2] > s.queries) tile.end[2] = s.queries;
          if (tile.end[3] > s.keys) tile.end[3] = s.keys;
          const kernels::KeyRange keys = kernels::attended_keys(code, tile);
          all += tile.end[3] - j;
          computed += keys.to - keys.from;
        }
  const std::string share = std::to_string((100 * computed + all - 1) / all) + " % of its tiles";
  return kernels::masks_by_tensors(code) ? "at most " + share : share;
}

// The modules that a kernel computes for.
inline std::string scope_of(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Kernel& kernel,
                            const ir::Scopes& scopes) {
  List<int> nodes;
  if (kernel.opaque >= 0) nodes.push(kernel.opaque);
  for (int i = 0; i < kernel.body.size; ++i) {
    const int x = f.pool[kernel.body.begin + i];
    if (ir::info(g.nodes[x].op).kind != ir::OpClass::leaf) nodes.push(x);
  }
  return scopes.of(nodes);
}

// Numbers: compiler/lower/collective.hpp.
inline ExplainedCollective explain_collective(const compiler::Lowered& lowered, const compiler::Step& step) {
  const auto at = [&](int i) { return static_cast<i64>(lowered.numbers[step.numbers.begin + i]); };
  ExplainedCollective out;
  out.request = static_cast<int>(at(0));
  out.elements = at(1);
  out.element_bytes = size_of(static_cast<DType>(at(2)));
  if (step.numbers.size > 3) out.begin = at(3);
  if (step.numbers.size > 5) out.shared = {at(4), at(5)};  // an all_reduce has no shares
  using compiler::StepKind;
  const auto kind = step.kind;
  out.at_once = kind == StepKind::all_reduce_max;
  out.sums = kind == StepKind::all_reduce_start || kind == StepKind::reduce_scatter_start ||
             kind == StepKind::reduce_scatter_into_start || kind == StepKind::reduce_scatter_state_start;
  out.gathers = out.at_once || kind == StepKind::all_reduce_start ||
                kind == StepKind::all_gather_state_start || kind == StepKind::all_gather_start;
  out.into = kind == StepKind::reduce_scatter_into_start || kind == StepKind::reduce_scatter_state_start;
  return out;
}

inline ExplainedStep explain_step(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan,
                                  const ir::Scopes& scopes, int k, const compiler::Lowered& lowered,
                                  const compiler::Step& step) {
  const kernel_ir::Kernel& kernel = f.kernels[k];
  const auto at = [&](int i) {
    return std::to_string(static_cast<i64>(lowered.numbers[step.numbers.begin + i]));
  };
  const auto type = [&](int node) { return std::string(name_of(g.nodes[node].dtype)); };
  ExplainedStep out;
  out.bytes = step.bytes;
  out.flops = step.flops;
  out.scope = scope_of(g, f, kernel, scopes);
  switch (step.kind) {
    case compiler::StepKind::fused:
      out.kernel = compiler::kind_of(g, f, kernel, plan.tilings[k].segments >= 0);
      out.shape = to_text(kernel.space).c_str();
      out.ops = fused_ops(g, f, kernel);
      break;
    case compiler::StepKind::combine_partials:
      out.kernel = "combine_partials";
      out.shape = std::to_string(step.addresses.size / 2) + (step.addresses.size == 2 ? " sum" : " sums");
      out.ops = "adds the parts";
      break;
    case compiler::StepKind::dot: {
      out.kernel = "dot";
      out.shape = at(0) + " x " + at(1) + " x " + at(2);
      i64 batch = 1;
      for (i64 b = 0; b < static_cast<i64>(lowered.numbers[step.numbers.begin + 8]); ++b)
        batch *= static_cast<i64>(lowered.numbers[step.numbers.begin + 9 + 4 * static_cast<int>(b)]);
      if (batch > 1) out.shape = std::to_string(batch) + " of " + out.shape;
      out.ops = type(g.in(kernel.opaque, 0)) + " to " + type(kernel.opaque);
      if (g.nodes[kernel.opaque].imm == ir::dot_tf32) out.ops += " by tf32";
      if (kernel.added >= 0) out.ops += ", add";
      if (kernel.bias >= 0) out.ops += ", bias";
      break;
    }
    case compiler::StepKind::conv:
      out.kernel = "conv";
      out.shape = std::string(to_text(g.dims(g.in(kernel.opaque, 0))).c_str()) + " by " +
                  to_text(g.dims(g.in(kernel.opaque, 1))).c_str();
      out.ops = type(g.in(kernel.opaque, 0)) + " to " + type(kernel.opaque);
      if (g.nodes[kernel.opaque].imm == ir::dot_tf32) out.ops += " by tf32";
      break;
    case compiler::StepKind::take_rows:
    case compiler::StepKind::scatter_add:
      out.kernel = step.kind == compiler::StepKind::take_rows ? "take_rows" : "scatter_add";
      out.shape = at(1) + " rows of " + at(2);
      out.ops = type(kernel.opaque);
      break;
    case compiler::StepKind::scan:
    case compiler::StepKind::argsort:
    case compiler::StepKind::take_along_axis:
    case compiler::StepKind::scatter_reduce:
    case compiler::StepKind::searchsorted:
      out.kernel = ir::info(g.nodes[kernel.opaque].op).name;
      out.shape = at(0) + " x " + at(1) + " x " + at(2);
      out.ops = type(g.in(kernel.opaque, 0));
      break;
    case compiler::StepKind::dynamic_slice:
    case compiler::StepKind::dynamic_update_slice:
      out.kernel = ir::info(g.nodes[kernel.opaque].op).name;
      out.shape = std::string(to_text(ir::block_dims(g, kernel.opaque)).c_str()) + " of " +
                  to_text(ir::whole_dims(g, kernel.opaque)).c_str();
      out.ops = type(kernel.opaque);
      break;
    case compiler::StepKind::custom:
      out.kernel = "custom";
      out.shape = to_text(g.dims(kernel.opaque)).c_str();
      ir::custom_name(g, kernel.opaque, [&](char c) { out.ops += c; });
      break;
    case compiler::StepKind::all_reduce_start:
    case compiler::StepKind::all_reduce_done:
    case compiler::StepKind::reduce_scatter_start:
    case compiler::StepKind::reduce_scatter_done:
    case compiler::StepKind::reduce_scatter_into_start:
    case compiler::StepKind::reduce_scatter_into_done:
    case compiler::StepKind::reduce_scatter_state_start:
    case compiler::StepKind::all_reduce_max:
    case compiler::StepKind::all_gather_state_start:
    case compiler::StepKind::all_gather_start:
    case compiler::StepKind::collective_await:
    case compiler::StepKind::all_gather_done:
      out.kernel = ir::info(g.nodes[kernel.opaque].op).name;
      out.shape = at(1);
      out.ops = type(kernel.opaque) + " over all ranks";
      out.collective = explain_collective(lowered, step);
      break;
    case compiler::StepKind::group_collective: {
      constexpr const char* kinds[]{"sum", "gather", "part", "scatter"};
      const GroupCall call = GroupCall::decode(g.nodes[kernel.opaque].imm);
      out.kernel = std::string("group_") + kinds[static_cast<int>(call.kind)];
      out.shape = to_text(g.dims(kernel.opaque)).c_str();
      out.ops = type(kernel.opaque) + " over " + std::to_string(call.degree) + " ranks";
      break;
    }
    case compiler::StepKind::attention:
    case compiler::StepKind::attention_gradient: {
      const ir::AttentionShape s = ir::attention_shape(g, kernel.opaque);
      out.kernel = ir::info(g.nodes[kernel.opaque].op).name;
      out.shape = std::string(to_text(s.of_query(s.width)).c_str()) + " by " +
                  to_text(s.of_key(s.value_width)).c_str();
      const compiler::KernelCode& code = lowered.kernels[step.kernel];
      out.ops =
          type(g.in(kernel.opaque, 0)) + ", " + attended_tiles(lowered.words.data() + code.words.begin, s);
      break;
    }
    case compiler::StepKind::copy:
      out.kernel = "copy";
      out.shape = at(0) + " B";
      break;
    case compiler::StepKind::repeat:
      out.kernel = "loop";
      out.is_loop = true;
      out.shape = at(0) + " trips of the " + at(1) + " below";
      break;
  }
  return out;
}

// Steps of a graph that runs `trips` times, `depth` loops deep.
inline void explain_into(Explanation& out, const ir::Graph& g, const kernel_ir::Fusion& f,
                         const kernel_ir::Plan& plan, const ir::Scopes& scopes, i64 trips, int depth) {
  for (int k = 0; k < f.kernels.size(); ++k) {
    const compiler::Lowered lowered = compiler::lower(g, f, plan, k, k + 1);
    for (int i = 0; i < lowered.steps.size(); ++i) {
      const compiler::Step& step = lowered.steps[i];
      ExplainedStep s = explain_step(g, f, plan, scopes, k, lowered, step);
      s.kernel.insert(0, static_cast<std::size_t>(depth), ' ');
      s.bytes *= trips;
      s.flops *= trips;
      s.launches = trips;
      out.steps.push_back(s);
      out.bytes += s.bytes;
      out.flops += s.flops;
      if (step.kind != compiler::StepKind::repeat) {
        out.launches += trips;
        continue;
      }
      const kernel_ir::LoopMemory inside(g, f, plan, k);
      explain_into(out, inside.body, inside.fusion, inside.plan,
                   scopes.of_body(f.kernels[k].opaque, inside.body), trips * inside.shape.trips, depth + 1);
      i += lowered.repeat_call(step).inside;
    }
  }
}

}  // namespace explain_detail

inline Explanation explain_module(const compiler::Module& m, ir::StateName name) {
  Explanation out;
  explain_detail::explain_into(out, m.graph, m.fusion, m.plan, ir::Scopes(m.graph, name), 1, 0);
  out.workspace_bytes = m.plan.workspace_bytes;
  return out;
}
// Explains a graph as it is traced (before prune); `name` knows the state that it works on.
inline Explanation explain_graph(const ir::Graph& traced, ir::StateName name = nullptr) {
  return explain_module(compiler::plan_graph(traced), name);
}

// One line a launch, at most 79 columns; what does not fit continues below.
inline std::string to_text(const Explanation& e, const Roofline& machine) {
  using namespace explain_detail;
  constexpr std::size_t longest_kernel = 24;
  double least = 0;
  std::size_t kernel = 14;  // columns of the kernels' names
  for (const ExplainedStep& s : e.steps) {
    least += machine.seconds(s.bytes, s.flops);
    kernel = std::max(kernel, std::min(s.kernel.size(), longest_kernel));
  }
  const std::size_t indent = kernel + 33;
  std::string out = std::to_string(e.launches) + (e.launches == 1 ? " launch, " : " launches, ") +
                    compact(static_cast<double>(e.bytes), "B") + " moved, " +
                    compact(static_cast<double>(e.flops), "FLOP") + ", workspace " +
                    compact(static_cast<double>(e.workspace_bytes), "B") + "\nat least " + duration(least) +
                    " on a machine of " + compact(machine.bytes_per_second, "B/s") + " and " +
                    compact(machine.flops_per_second, "FLOP/s") + "\n\n";
  out += "  #  " + padded("kernel", kernel, false) + "   bytes    FLOP  at least  what\n";
  for (std::size_t i = 0; i < e.steps.size(); ++i) {
    const ExplainedStep& s = e.steps[i];
    out += wrapped(padded(std::to_string(i), 3, true) + "  " +
                       padded(s.kernel.substr(0, kernel), kernel, false) +
                       padded(compact(static_cast<double>(s.bytes)), 8, true) +
                       padded(compact(static_cast<double>(s.flops)), 8, true) +
                       padded(duration(machine.seconds(s.bytes, s.flops)), 10, true) + "  ",
                   s.text(), indent);
  }
  return out;
}

}  // namespace exec

// explain<Program>(): the launches of a compiled function or a trainer, or of anything that has a graph
// (Program::graph() traces).
template <class Program>
std::string explain(const Roofline& machine = {}) {
  if constexpr (requires { Program::explain(machine); })
    return Program::explain(machine);
  else
    return exec::to_text(exec::explain_graph(Program::graph(), &exec::state_name<Program>), machine);
}

}  // namespace WEFT_NAMESPACE
