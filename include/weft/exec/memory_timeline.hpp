#pragma once
// Who holds the workspace at each launch, as a page for a browser: known before anything runs, as every
// address is a constant of the program. Law: it is made from the memory plan that the program has, when
// somebody asks. (Templates, so that programs that do not ask have no part of it.)

#include <string>
#include <utility>
#include <vector>

#include "weft/exec/explain.hpp"
#include "weft/io/file.hpp"
#include "weft/io/order.hpp"
#include "weft/kernel_ir/loop_memory.hpp"

namespace WEFT_NAMESPACE {
namespace exec {

// A stretch of the workspace, and the launches from which and until which it is held, numbered as in
// explain().
struct MemoryHolder {
  std::string what;   // "dot (4, 64, 192) of f32"
  std::string scope;  // ir/scopes.hpp
  i64 offset = 0, bytes = 0;
  int first = 0, last = 0;
};
struct MemoryTimeline {
  std::vector<MemoryHolder> holders;
  std::vector<std::string> launches;  // what each does
  i64 workspace_bytes = 0;
};

namespace timeline_detail {

using kernel_ir::BufferAddress;

// The last kernel that reads each node's memory.
template <class Graph, class Fusion>
List<int> last_readers(const Graph& g, const Fusion& f) {
  List<int> last(g.nodes.size(), -1);
  for (int k = 0; k < f.kernels.size(); ++k) f.each_read(g, k, [&](int x) { last[x] = k; });
  for (int x : g.outputs) {
    while (f.is_view_in(x, f.kernels.size())) x = f.view_of[x] >= 0 ? f.views[f.view_of[x]].root : g.in(x, 0);
    last[x] = f.kernels.size();
  }
  return last;
}

}  // namespace timeline_detail

// The bytes that are held during each launch; what is computed in another's place is counted once.
template <class Timeline>
std::vector<i64> held_bytes(const Timeline& t) {
  std::vector<i64> bytes;
  std::vector<std::pair<i64, i64>> stretches;
  for (int k = 0; k < static_cast<int>(t.launches.size()); ++k) {
    stretches.clear();
    for (const MemoryHolder& h : t.holders)
      if (h.first <= k && k <= h.last) stretches.push_back({h.offset, h.offset + h.bytes});
    i64 sum = 0, end = 0;
    for (const u32 i :
         io::order_by(stretches.size(), [&](u32 a, u32 b) { return stretches[a] < stretches[b]; })) {
      const auto [from, to] = stretches[i];
      sum += to > end ? to - std::max(from, end) : 0;
      end = std::max(end, to);
    }
    bytes.push_back(sum);
  }
  return bytes;
}

namespace timeline_detail {

// What holds the workspace of one graph, a program or the body of a loop.
template <class Graph, class Fusion, class Plan>
class Holders {
 public:
  // The graph's first launch has number `launch`; its workspace begins at `base` of the program's.
  Holders(MemoryTimeline& timeline, const Graph& graph, const Fusion& fusion, const Plan& memory_plan,
          const ir::Scopes& names, i64 base_bytes, int launch)
      : out(timeline),
        g(graph),
        f(fusion),
        plan(memory_plan),
        scopes(names),
        base(base_bytes),
        next(launch) {}

  void add() {
    const int kernels = f.kernels.size();
    // the launches of each kernel begin and end at; of a loop its body's begin at
    List<int> begin, end, inside;
    for (int k = 0; k < kernels; ++k) {
      const auto lowered = compiler::lower(g, f, plan, k, k + 1);
      int repeat = 0;
      while (repeat < lowered.steps.size() && lowered.steps[repeat].kind != compiler::StepKind::repeat)
        ++repeat;
      begin.push(next);
      inside.push(next + repeat + 1);
      next += lowered.steps.size();
      end.push(lowered.steps.size() > 0 ? next - 1 : next);
    }
    const int last_launch = next - 1;
    // the gradients' vectors are theirs all the time, and what lies in them is no holder of its own
    const kernel_ir::GradientArena arena = kernel_ir::gradient_arena(g, plan);
    if (arena.bytes() > 0)
      hold("the gradients, packed", "update", arena.begin, arena.bytes(), 0, last_launch);
    const List<int> last = last_readers(g, f);
    for (int k = 0; k < kernels; ++k) {
      const kernel_ir::Kernel& kernel = f.kernels[k];
      for (int i = 0; i < kernel.stores.size; ++i) {
        const int x = f.pool[kernel.stores.begin + i];
        const i64 bytes = kernel_ir::bytes_of(g, x);
        if (!plan.in_workspace(x) || bytes == 0 || arena.holds(plan.offset(x))) continue;
        hold(text(x), scope(x), plan.offset(x), bytes, begin[k],
             last[x] >= kernels ? last_launch : end[std::max(last[x], k)]);
      }
      const u64 scratch = plan.tilings[k].partials;
      if (kernel.opaque < 0 || !kernel_ir::in_workspace(scratch)) continue;
      if (g.nodes[kernel.opaque].op == ir::Op::loop) {
        add_loop(k, begin[k], inside[k], end[k]);
      } else if (const i64 bytes = ir::scratch_bytes(g, kernel.opaque); bytes > 0) {
        hold("scratch of " + text(kernel.opaque), scopes[kernel.opaque], BufferAddress::offset(scratch),
             bytes, begin[k], end[k]);
      }
    }
  }

 private:
  std::string text(int x) const {
    return std::string(ir::info(ir::made_by(g, x)).name) + " " + to_text(g.dims(x)).c_str() + " of " +
           name_of(g.nodes[x].dtype);
  }
  // Whose node x is; a loop's result is its body's.
  std::string scope(int x) const {
    const int loop = g.nodes[x].op == ir::Op::result ? g.in(x, 0) : -1;
    if (loop < 0 || g.nodes[loop].op != ir::Op::loop) return scopes[x];
    const auto body = ir::loop_body(g, loop);
    const int output = ir::loop_shape(g, loop).body_output(static_cast<int>(g.nodes[x].imm));
    return scopes.of_body(loop, body)[body.outputs[output]];
  }
  void hold(const std::string& what, const std::string& scope, i64 offset, i64 bytes, int first, int last) {
    out.holders.push_back({what, scope, base + offset, bytes, first, last});
  }
  // What each trip has, and what it hands to the next.
  void add_loop(int k, int first, int inside, int last) {
    const kernel_ir::LoopMemory memory(g, f, plan, k);
    const int loop = f.kernels[k].opaque;
    const i64 at = BufferAddress::offset(plan.tilings[k].partials);
    for (int c = 0; c < memory.shape.carries; ++c) {
      const int x = g.in(loop, c);
      for (const i64 buffer : {memory.primary[c], memory.second[c]})
        if (buffer >= 0 && kernel_ir::bytes_of(g, x) > 0)
          hold("from trip to trip, " + text(x), scopes[loop], at + buffer, kernel_ir::bytes_of(g, x), first,
               last);
    }
    if (memory.shape.trips > 0)
      Holders(out, memory.body, memory.fusion, memory.plan, scopes.of_body(loop, memory.body), base + at,
              inside)
          .add();
  }

  MemoryTimeline& out;
  const Graph& g;
  const Fusion& f;
  const Plan& plan;
  const ir::Scopes& scopes;
  i64 base;
  int next;
};

}  // namespace timeline_detail

// Of a compiler::Module with its plan; `name` knows the state that it works on. What a loop's body holds is
// that of one trip, by the launches of one. Sums in parts are left out.
template <class Module>
MemoryTimeline memory_timeline(const Module& m, ir::StateName name = nullptr) {
  const ir::Scopes scopes(m.graph, name);
  MemoryTimeline out;
  out.workspace_bytes = m.plan.workspace_bytes;
  exec::Explanation explained;
  explain_detail::explain_into(explained, m.graph, m.fusion, m.plan, scopes, 1, 0);
  for (const ExplainedStep& step : explained.steps) out.launches.push_back(step.kernel + " " + step.text());
  timeline_detail::Holders(out, m.graph, m.fusion, m.plan, scopes, 0, 0).add();
  return out;
}

namespace timeline_detail {

inline std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}
// The module that a colour stands for: two steps of the path, "h.0" of "h.0.mlp.fc"; three of a Stack's,
// "h.*.mlp".
inline std::string colored(std::string scope) {
  if (ir::is_beside(scope)) scope.erase(0, scope.find(' ') + 1);
  const auto behind = [&](std::size_t dot) {
    return dot == std::string::npos ? dot : scope.find('.', dot + 1);
  };
  std::size_t end = behind(scope.find('.'));
  if (scope.substr(0, end).ends_with(".*")) end = behind(end);
  return scope.empty() ? "(no module)" : scope.substr(0, end);
}

}  // namespace timeline_detail

// The page: launches from left to right, addresses from below; a table of who holds most when most is held.
template <class Timeline>
std::string to_html(const Timeline& t) requires std::is_same_v<Timeline, MemoryTimeline> {
  using namespace timeline_detail;
  using explain_detail::compact;
  using explain_detail::number;
  const auto held = held_bytes(t);
  std::size_t fullest = 0;
  for (std::size_t k = 0; k < held.size(); ++k)
    if (held[k] > held[fullest]) fullest = k;
  std::vector<std::string> modules;
  const auto module_of = [&](const MemoryHolder& h) {
    const std::string module = colored(h.scope);
    for (std::size_t i = 0; i < modules.size(); ++i)
      if (modules[i] == module) return i;
    modules.push_back(module);
    return modules.size() - 1;
  };
  // hues far from one another in the order in which they come
  const auto color = [](std::size_t i) {
    return "hsl(" + std::to_string(i * 137 % 360) + ",55%," + std::to_string(52 + i / 5 % 3 * 10) + "%)";
  };
  const double width = 1000, height = 520, launches = std::max<double>(1, static_cast<double>(held.size())),
               bytes = std::max<double>(1, static_cast<double>(t.workspace_bytes));
  const auto say = [](i64 n) { return compact(static_cast<double>(n), "B"); };
  std::string out =
      "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>Memory</title><style>body{font-family:"
      "sans-serif;margin:2em;max-width:1000px}td,th{text-align:left;padding:2px 12px 2px 0}rect:hover{stroke:"
      "#000}</style></head><body>\n<h1>Workspace: " +
      say(t.workspace_bytes) + "</h1>\n<p>" + std::to_string(held.size()) +
      " launches from left to right, addresses from below; most, " + say(held.empty() ? 0 : held[fullest]) +
      ", is held during launch " + std::to_string(fullest) +
      (t.launches.empty() ? "" : ": " + escaped(t.launches[fullest])) +
      ".</p>\n<svg width=\"1000\" height=\"520\" " +
      "viewBox=\"0 0 1000 520\" style=\"background:#f4f4f4\">\n";
  for (const MemoryHolder& h : t.holders) {
    const double x = h.first / launches * width, w = (h.last + 1 - h.first) / launches * width;
    const double high = static_cast<double>(h.bytes) / bytes * height;
    const double y = height - static_cast<double>(h.offset) / bytes * height - high;
    out += "<rect x=\"" + number(x, 2) + "\" y=\"" + number(y, 2) + "\" width=\"" + number(w, 2) +
           "\" height=\"" + number(std::max(high, 0.3), 2) + "\" fill=\"" + color(module_of(h)) +
           "\" stroke=\"#fff\" stroke-width=\"0.3\"><title>" + escaped(h.what + ir::in_scope(h.scope)) +
           ", " + say(h.bytes) + ", launches " + std::to_string(h.first) + " to " + std::to_string(h.last) +
           "</title></rect>\n";
  }
  const double at = (static_cast<double>(fullest) + 0.5) / launches * width;
  out += "<line x1=\"" + number(at, 2) + "\" y1=\"0\" x2=\"" + number(at, 2) +
         "\" y2=\"520\" stroke=\"#000\" stroke-dasharray=\"3 3\"/>\n</svg>\n<p>";
  for (std::size_t i = 0; i < modules.size(); ++i)
    out += "<span style=\"white-space:nowrap;margin-right:1em\"><span style=\"background:" + color(i) +
           "\">&emsp;</span> " + escaped(modules[i]) + "</span> ";
  out += "</p>\n<h2>Held during launch " + std::to_string(fullest) +
         "</h2>\n<table><tr><th>bytes</th><th>what</th><th>module</th><th>from launch</th><th>to</th></tr>\n";
  std::vector<const MemoryHolder*> most;
  for (const MemoryHolder& h : t.holders)
    if (h.first <= static_cast<int>(fullest) && h.last >= static_cast<int>(fullest)) most.push_back(&h);
  const auto order = io::order_by(most.size(), [&](u32 a, u32 b) { return most[a]->bytes > most[b]->bytes; });
  for (std::size_t i = 0; i < order.size() && i < 30; ++i) {
    const MemoryHolder& h = *most[order[i]];
    out += "<tr><td>" + say(h.bytes) + "</td><td>" + escaped(h.what) + "</td><td>" + escaped(h.scope) +
           "</td><td>" + std::to_string(h.first) + "</td><td>" + std::to_string(h.last) + "</td></tr>\n";
  }
  return out + "</table>\n</body></html>\n";
}

}  // namespace exec
}  // namespace WEFT_NAMESPACE
