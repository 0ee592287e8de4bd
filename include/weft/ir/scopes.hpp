#pragma once
// Which module made a node, found from the state that it works on. Law: a function of the graph alone, so
// that a program that nobody asks about pays nothing while it compiles or runs.
//
// A module is a plain struct, and its call leaves no mark in the graph; its parameters do. A node that works
// on parameters is of their module; others are placed by the modules before and behind them: between
// h.0.mlp.fc and h.0.mlp.proj lies h.0.mlp. (docs/decisions/0023.)

#include <string>
#include <string_view>

#include "weft/ir/loop.hpp"
#include "weft/ir/state_slice.hpp"

namespace WEFT_NAMESPACE::ir {

// The name of the piece of a model's state that holds a byte of the model's block, "fc1.weight",
// "h.*.fc.weight" of all blocks of a Stack; empty where there is none.
using StateName = std::string (*)(i64 offset);

// What both paths begin with: "h.0" of "h.0.fc" and "h.0.norm".
inline std::string_view common_path(std::string_view a, std::string_view b) {
  std::size_t end = 0;
  for (std::size_t i = 0; i <= a.size() && i <= b.size(); ++i) {
    const bool stops = (i == a.size() || a[i] == '.') && (i == b.size() || b[i] == '.');
    if (stops) end = i;
    if (i == a.size() || i == b.size() || a[i] != b[i]) break;
  }
  return a.substr(0, end);
}

// Whether a scope says what a node lies behind or before, and not in which module.
inline bool is_beside(std::string_view scope) {
  return scope.starts_with("after ") || scope.starts_with("before ");
}

// A scope behind what it is of: " in h.0.mlp", " after fc1"; nothing where it is empty.
inline std::string in_scope(const std::string& scope) {
  if (scope.empty()) return "";
  return (is_beside(scope) ? " " : " in ") + scope;
}

// "h.2.fc" of "h.*.fc": of a name in all slices of a Stack, that in one.
inline std::string in_slice(std::string name, std::string_view slice) {
  const std::size_t star = name.find('*');
  return star == std::string::npos ? name : name.replace(star, 1, slice);
}

class Scopes {
 public:
  // That of a trainer's update.
  static constexpr std::string_view update = "update";

  Scopes(const Graph& graph, StateName name) : Scopes(graph, name, Surroundings{}) {}

  // "h.0.mlp", "after fc1" where no module holds what lies on both sides; empty where the graph has no state.
  const std::string& operator[](int node) const { return text_[node]; }

  // That of several nodes: one or two by their names, more by what these begin with. Nodes that lie in a
  // module speak for those that lie behind one.
  std::string of(const List<int>& nodes) const {
    List<std::string> exact, near;
    for (const int i : nodes) {
      const std::string& text = text_[i];
      if (text.empty()) continue;
      List<std::string>& to = is_beside(text) ? near : exact;
      bool known = false;
      for (const std::string& t : to) known = known || t == text;
      if (!known) to.push(text);
    }
    const List<std::string>& all = exact.size() > 0 ? exact : near;
    if (all.size() == 0) return "";
    if (all.size() == 1) return all[0];
    if (all.size() == 2) return all[0] + ", " + all[1];
    std::string both = all[0];
    for (const std::string& t : all) both = common_path(both, t);
    return both.empty() ? all[0] + " ... " + all.back() : both;
  }

  // Those of the body of a loop of this graph; `slice`: what stands in the place of a Stack's "*".
  Scopes of_body(int loop, const Graph& body, std::string_view slice = "*") const {
    const LoopShape s = loop_shape(*g_, loop);
    Surroundings around;
    around.inputs = List<std::string>(s.operands());
    around.is_state = List<u8>(s.operands(), 0);
    around.outputs = List<std::string>(body.outputs.size());
    around.is_gradient = List<u8>(body.outputs.size(), 0);
    for (int k = 0; k < s.operands(); ++k) {
      const int x = g_->in(loop, k);
      if (!is_state_[x] || own_[x] == none) continue;
      around.is_state[k] = 1;
      around.inputs[k] = s.is_stacked(k) ? in_slice(paths_[own_[x]], slice) : paths_[own_[x]];
    }
    for (int r = loop + 1; r < g_->nodes.size(); ++r) {
      if (g_->nodes[r].op != Op::result || g_->in(r, 0) != loop || behind_[r] == none) continue;
      const int which = static_cast<int>(g_->nodes[r].imm);
      const bool carried = which < 2 * s.carries;
      const std::string& path = paths_[behind_[r]];
      const int output = carried ? which % s.carries : which - s.carries;
      around.outputs[output] = carried ? path : in_slice(path, slice);
      around.is_gradient[output] = is_gradient_[r];
    }
    return Scopes(body, name_, around);
  }

 private:
  static constexpr int none = -1;
  // Of a loop's body: the modules of the inputs that are state, and those of what reads the outputs.
  struct Surroundings {
    List<std::string> inputs;
    List<u8> is_state;
    List<std::string> outputs;
    List<u8> is_gradient;  // of the outputs, too
  };

  Scopes(const Graph& graph, StateName name, const Surroundings& around) : g_(&graph), name_(name) {
    const int n = graph.nodes.size();
    own_ = List<int>(n, none);
    before_ = List<int>(n, none);
    behind_ = List<int>(n, none);
    is_state_ = List<u8>(n, 0);
    is_gradient_ = List<u8>(n, 0);
    first_reader_ = List<int>(n, none);
    updates_ = graph.optimizer_bytes > 0 && !graph.is_body ? add(std::string(update)) : none;
    // behind a trainer's loss come the gradients
    last_forward_ = updates_ != none && graph.outputs.size() > 0 ? graph.outputs[0] : n;
    find_own(around);
    find_behind(around);
    find_before();
    claim_forward();
    claim_backward();
    for (int i = 0; i < n; ++i) text_.push(text_of(i));
  }

  static std::string module_of(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string::npos ? "" : name.substr(0, dot);
  }
  int add(std::string path) {
    for (int k = 0; k < paths_.size(); ++k)
      if (paths_[k] == path) return k;
    paths_.push(static_cast<std::string&&>(path));
    return paths_.size() - 1;
  }
  int join(int a, int b) {
    if (a == none || b == none || a == b) return a == none ? b : a;
    return add(std::string(common_path(paths_[a], paths_[b])));
  }
  // The module of the piece of state at a byte of the model's block.
  int module_at(i64 offset) {
    const std::string name = name_ != nullptr ? name_(offset) : "";
    return name.empty() ? none : add(module_of(name));
  }

  int own_of_leaf(const Node& n, const Surroundings& around) {
    if (n.op == Op::input && static_cast<int>(n.imm) < around.inputs.size())
      return around.is_state[static_cast<int>(n.imm)] ? add(around.inputs[static_cast<int>(n.imm)]) : none;
    if (n.op != Op::state) return none;
    const Slot& slot = g_->slots[static_cast<int>(n.imm)];
    if (slot.segments >= 0) return updates_;
    if (slot.space == Space::model) return module_at(slot.offset);
    // scalars are the loss scale and the number of updates, which the loss may read
    return g_->shapes[slot.shape].size() > 1 ? updates_ : none;
  }
  // What works on state is of its module.
  void find_own(const Surroundings& around) {
    List<u8> several(g_->nodes.size(), 0);  // parameters in one vector, of no module
    for (int i = 0; i < g_->nodes.size(); ++i)
      if (const StateSlice slice = state_slice(*g_, i); slice.state >= 0) several[slice.state] = 1;
    for (int i = 0; i < g_->nodes.size(); ++i) {
      const Node& n = g_->nodes[i];
      for (int k = 0; k < n.arity; ++k)
        if (first_reader_[g_->in(i, k)] == none) first_reader_[g_->in(i, k)] = i;
      if (n.arity == 0) {
        own_[i] = several[i] ? none : own_of_leaf(n, around);
        is_state_[i] = n.op != Op::input || own_[i] != none;
        continue;
      }
      if (n.op == Op::flat_concat) {
        own_[i] = updates_;
        continue;
      }
      is_state_[i] = 1;
      for (int k = 0; k < n.arity; ++k) {
        const int x = g_->in(i, k);
        if (!is_state_[x]) is_state_[i] = 0;
        if (is_state_[x] || (own_[x] == updates_ && updates_ != none)) own_[i] = join(own_[i], own_[x]);
      }
      if (n.op == Op::result) own_[i] = own_[g_->in(i, 0)];
      if (const StateSlice slice = state_slice(*g_, i); slice.state >= 0) own_[i] = module_at(slice.offset);
    }
  }
  // The module of the first reader, or of what that leads to. The gradient of a parameter is of its module.
  void find_behind(const Surroundings& around) {
    for (const Assign& a : g_->assigns) {
      const Slot& slot = g_->slots[a.slot];
      if (slot.space == Space::model && slot.segments < 0) behind_[a.node] = module_at(slot.offset);
    }
    for (int k = 0; k < around.outputs.size(); ++k) {
      if (around.outputs[k].empty()) continue;
      behind_[g_->outputs[k]] = add(around.outputs[k]);
      is_gradient_[g_->outputs[k]] = around.is_gradient[k];
    }
    for (int i = g_->nodes.size(); i-- > 0;) {
      if (const int reader = first_reader_[i]; reader != none) {
        const Node& n = g_->nodes[reader];
        if (n.op == Op::flat_concat) {
          is_gradient_[i] = 1;
          for (int k = 0; k < n.arity; ++k)
            if (g_->in(reader, k) == i) behind_[i] = module_at(g_->attribute(reader, k) * size_of(n.dtype));
        } else if (own_[reader] != none && own_[reader] != updates_) {
          behind_[i] = own_[reader];
          is_gradient_[i] =
              is_gradient_[reader] && (info(n.op).kind == OpClass::movement || n.op == Op::cast);
        } else if (behind_[reader] != none) {
          behind_[i] = behind_[reader];
        }
      }
      if (is_gradient_[i] && own_[i] == none) own_[i] = behind_[i];
    }
  }
  // The module of the operand that was made last, or of what that was made of.
  void find_before() {
    for (int i = 0; i < g_->nodes.size(); ++i) {
      int last = none;
      for (int k = 0; k < data_operands(g_->nodes[i].op, g_->nodes[i].arity); ++k) {
        const int x = g_->in(i, k);
        if (!is_state_[x] && (own_[x] != none || before_[x] != none) && x > last) last = x;
      }
      if (last != none) before_[i] = own_[last] != none ? own_[last] : before_[last];
    }
  }

  // A normalisation multiplies by its parameters what it has made without them: what is read by nothing else
  // is its own, too. (What a product reads is not: that has a maker of its own.)
  bool may_be_claimed(int i) const {
    const OpClass kind = info(g_->nodes[i].op).kind;
    return own_[i] == none && !is_state_[i] &&
           (kind == OpClass::pointwise || kind == OpClass::reduction || kind == OpClass::movement ||
            kind == OpClass::marker);
  }
  bool claims(int i) const {
    const OpClass kind = info(g_->nodes[i].op).kind;
    return own_[i] != none && own_[i] != updates_ &&
           (kind == OpClass::pointwise || kind == OpClass::movement || kind == OpClass::reduction);
  }
  void claim_forward() {
    constexpr int unread = -1, several = -2;
    List<int> reader(g_->nodes.size(), unread);  // the module of all readers
    for (int i = last_forward_ < g_->nodes.size() ? last_forward_ + 1 : g_->nodes.size(); i-- > 0;) {
      if (may_be_claimed(i) && reader[i] >= 0) own_[i] = reader[i];
      for (int k = 0; k < g_->nodes[i].arity; ++k) {
        int& of = reader[g_->in(i, k)];
        const int here = claims(i) ? own_[i] : several;
        of = of == unread || of == here ? here : several;
      }
    }
  }
  // The same from the other side: of the gradients, what is made of nothing else.
  void claim_backward() {
    for (int i = last_forward_ + 1; i < g_->nodes.size(); ++i) {
      if (!may_be_claimed(i)) continue;
      int maker = none;
      bool one = true;
      for (int k = 0; k < g_->nodes[i].arity; ++k) {
        const int x = g_->in(i, k);
        if (x <= last_forward_ || is_state_[x]) continue;
        one = one && claims(x) && (maker == none || maker == own_[x]);
        maker = own_[x];
      }
      if (one && maker != none) own_[i] = maker;
    }
  }

  std::string text_of(int i) const {
    if (own_[i] != none) return paths_[own_[i]];
    const int a = before_[i], b = behind_[i];
    if (a == none && b == none) return "";
    if (a != none && b != none) {
      const std::string_view both = common_path(paths_[a], paths_[b]);
      if (!both.empty()) return std::string(both);
    }
    const std::string& path = paths_[a != none ? a : b];
    return path.empty() ? "" : (a != none ? "after " : "before ") + path;
  }

  const Graph* g_;
  StateName name_;
  int updates_ = none;
  int last_forward_ = 0;
  List<std::string> paths_;
  List<int> own_;           // a node's module
  List<int> before_;        // that of what it is made of
  List<int> behind_;        // that of what is made of it
  List<u8> is_state_;       // whether it is made of state and constants alone
  List<u8> is_gradient_;    // whether it is that of a parameter
  List<int> first_reader_;  // -1: none
  List<std::string> text_;
};

}  // namespace WEFT_NAMESPACE::ir
