#pragma once
// Watches a program at the borders of its kernels: what a kernel wrote, and the places that one looks up.
// Law: the first kernel at fault is named with what is fused into it, the element and its value; a program
// that is not watched has none of this.
//
// The passes run again when a watched program is made, as in explain.hpp: what a step reads and writes is
// found by its addresses, so that loops, whose memory differs from trip to trip, need no other rule.

#include <string>
#include <vector>

#include "weft/core/check.hpp"
#include "weft/exec/explain.hpp"
#include "weft/exec/inputs.hpp"
#include "weft/exec/trace.hpp"
#include "weft/ir/checked_index.hpp"

namespace WEFT_NAMESPACE::exec {

// What a source says of checks; of others they are off.
template <class Source>
constexpr Checks checks_of() {
  if constexpr (requires { Source::checks; })
    return Source::checks;
  else
    return {false, false};
}

// A number that is not finite, and where an element lies.
inline std::string number_text(double x) { return x != x ? "nan" : x < 0 ? "-inf" : "inf"; }
inline std::string place_text(const Dims& d, i64 flat) {
  Dims at;
  at.rank = d.rank;
  for (int k = d.rank; k-- > 0;) {
    at.extent[k] = flat % d.extent[k];
    flat /= d.extent[k];
  }
  return to_text(at).c_str();
}

// "fc1.weight", "h.*.fc1.weight" of all blocks of a Stack.
inline std::string all_copies_text(const nn::Name& name) {
  std::string text(name.view());
  for (int level = 0; level < name.copies.rank; ++level)
    text[static_cast<std::size_t>(name.index_at[level])] = '*';
  return text;
}
template <class M>
std::string name_of_state(const ir::Slot& slot, i64 begin) {
  constexpr const auto& table = nn::state_table<M>;
  for (int i = 0; i < table.size; ++i)
    if (begin + table.row[i].offset == slot.offset) return all_copies_text(table.row[i].name);
  return "";
}
template <class... M>
std::string name_of_state(const StatePack<M...>*, const ir::Slot& slot) {
  std::string name;
  i64 block = 0;
  ((name += name_of_state<M>(slot, block++ * state_room)), ...);
  return name;
}
template <class Source>
std::string name_of_state(const ir::Slot& slot) {
  std::string name;
  if (slot.space == ir::Space::model) {
    if constexpr (requires { typename Source::model; })
      name = name_of_state<typename Source::model>(slot, 0);
    else if constexpr (requires { typename Source::models; })
      name = name_of_state(static_cast<typename Source::models*>(nullptr), slot);
  }
  if (!name.empty()) return name;
  return slot.space == ir::Space::model ? "the parameters" : "the optimiser's state";
}

// Where the loss scale lies in the optimiser's block; -1: there is none.
template <class Source>
constexpr i64 scale_offset_of() {
  if constexpr (requires { Source::scale_offset; })
    return Source::scale_offset;
  else
    return -1;
}
// Nodes that depend on a loss scale: gradients that overflow by design.
inline List<u8> scaled_nodes(const ir::Graph& g, i64 scale_offset) {
  List<u8> scaled(g.nodes.size(), 0);
  for (int i = 0; i < g.nodes.size(); ++i) {
    const ir::Node& n = g.nodes[i];
    if (n.op == ir::Op::state && scale_offset >= 0) {
      const ir::Slot& slot = g.slots[static_cast<int>(n.imm)];
      scaled[i] = slot.space == ir::Space::optimizer && slot.offset == scale_offset;
    }
    for (int k = 0; k < n.arity; ++k) scaled[i] |= scaled[g.in(i, k)];
  }
  return scaled;
}

// Of the program that Source is compiled to. (A template, so that programs without one do not pay for it
// while they compile.)
template <class Source>
class Checker {
  static constexpr Checks checks_ = checks_of<Source>();

 public:
  Checker() {
    const compiler::Module m = compiler::plan_pruned(program_graph<Source>());
    watch_graph(m.graph, m.fusion, m.plan);
  }

  // `read(to, from, bytes)` brings memory of the device to the host.
  template <class Launch, class Read>
  void before(int step, const Launch& launch, const Read& read) {
    Watched& w = steps_[static_cast<std::size_t>(step)];
    for (const Value& v : w.places) check_places(step, v, fetch(v, launch.args.pointer[v.operand], read));
    for (Value& v : w.read) {  // now: the kernel may write in place
      v.odd = find_odd(v, fetch(v, launch.args.pointer[v.operand], read), true);
      if (v.odd >= 0) v.odd_value = value_[static_cast<std::size_t>(v.odd)];
    }
  }
  template <class Launch, class Read>
  void after(int step, const Launch& launch, const Read& read) {
    const Watched& w = steps_[static_cast<std::size_t>(step)];
    const Value* reason = nullptr;
    for (const Value& v : w.read)
      if (reason == nullptr && v.odd >= 0) reason = &v;
    for (const Value& v : w.written) {
      const void* const at = v.sum >= 0 ? launch.sums[v.sum].to : launch.args.pointer[v.operand];
      const i64 odd = find_odd(v, fetch(v, at, read), !w.makes_infinity && reason == nullptr);
      if (odd < 0) continue;
      std::string text = kernel_text(step) + ": element " + place_text(v.dims, odd) + " of its result " +
                         v.name + " is " + number_text(value_[static_cast<std::size_t>(odd)]);
      if (reason != nullptr)
        text += "; it read " + number_text(reason->odd_value) + " at " +
                place_text(reason->dims, reason->odd) + " of " + reason->name;
      throw Error("check/finite", text);
    }
  }

 private:
  // An operand of a step, by its number among the step's pointers or its sums.
  struct Value {
    int operand = -1, sum = -1;
    DType dtype{};
    Dims dims;
    std::string name;
    i64 least = 0, most = 0;  // of places
    i64 odd = -1;             // the first element that is not finite, before the kernel runs; -1: none
    double odd_value = 0;
  };
  struct Watched {
    std::string text;  // of the kernel, as in explain()
    bool makes_infinity = false;
    std::vector<Value> written, read, places;
  };

  void watch_graph(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan) {
    const List<u8> spared = scaled_nodes(g, scale_offset_of<Source>());
    List<int> writer(g.nodes.size(), -1);  // the step that wrote a node
    for (int k = 0; k < f.groups.size(); ++k) {
      const compiler::Lowered lowered = compiler::lower(g, f, plan, k, k + 1);
      for (int i = 0; i < lowered.steps.size(); ++i) {
        const compiler::Step& step = lowered.steps[i];
        const u64* addresses = lowered.addresses.data() + step.addresses.begin;
        const ExplainedStep explained = explain_detail::explain_step(g, f, plan, k, lowered, step);
        Watched w;
        w.text =
            explained.kernel + " " + explained.shape + (explained.ops.empty() ? "" : ": " + explained.ops);
        if (step.kind == compiler::StepKind::combine_partials)
          watch_sums(w, g, plan, spared, addresses, step.addresses.size / 2);
        else if (step.kind != compiler::StepKind::copy && step.kind != compiler::StepKind::repeat)
          watch_group(w, g, f, plan, spared, writer, k, addresses, step.addresses.size);
        steps_.push_back(std::move(w));
        if (step.kind != compiler::StepKind::repeat) continue;
        const kernel_ir::LoopMemory inside(g, f, plan, k);
        watch_graph(inside.body, inside.fusion, inside.plan);
        i += static_cast<int>(lowered.numbers[step.numbers.begin + 1]);
      }
    }
  }

  static int find(u64 address, const u64* addresses, int count) {
    for (int a = 0; a < count; ++a)
      if (addresses[a] == address) return a;
    return -1;
  }
  std::string name_of_node(const ir::Graph& g, int node, const List<int>& writer) const {
    const ir::Node& n = g.nodes[node];
    std::string name =
        writer[node] < 0 ? "an earlier value" : "the result of kernel " + std::to_string(writer[node]) + ",";
    if (n.op == ir::Op::input && !g.is_body) name = "input " + std::to_string(n.imm);
    if (n.op == ir::Op::state) {
      const ir::Slot& slot = g.slots[static_cast<int>(n.imm)];
      name = name_of_state<Source>(slot);
    }
    return name + " " + to_text(g.dims(node)).c_str() + " of " + weft::name_of(n.dtype);
  }
  Value value(const ir::Graph& g, int node) const {
    Value v;
    v.dtype = g.nodes[node].dtype;
    v.dims = g.dims(node);
    v.name = std::string(to_text(v.dims).c_str()) + " of " + weft::name_of(v.dtype);
    return v;
  }

  // Second stages: what they write was summed by this group or one before it.
  void watch_sums(Watched& w, const ir::Graph& g, const kernel_ir::Plan& plan, const List<u8>& spared,
                  const u64* addresses, int sums) const {
    if (!checks_.finite) return;
    for (int s = 0; s < sums; ++s)
      for (int node = 0; node < g.nodes.size(); ++node) {
        if (plan.where[node] != addresses[2 * s + 1] || !ir::is_reduction(g.nodes[node].op)) continue;
        if (spared[node] || !is_float(g.nodes[node].dtype)) break;
        w.written.push_back(value(g, node));
        w.written.back().sum = s;
        break;
      }
  }

  void watch_group(Watched& w, const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan,
                   const List<u8>& spared, List<int>& writer, int k, const u64* addresses, int count) const {
    const kernel_ir::Group& group = f.groups[k];
    const int own = static_cast<int>(steps_.size());
    for (int i = 0; i < group.stores.size; ++i) writer[f.pool[group.stores.begin + i]] = own;
    if (group.opaque >= 0) writer[group.result >= 0 ? group.result : group.opaque] = own;
    if (checks_.finite) {
      const auto written = [&](int node) {
        if (node < 0 || spared[node] || !is_float(g.nodes[node].dtype)) return;
        const int at = find(plan.where[node], addresses, count);
        if (at < 0) return;
        w.written.push_back(value(g, node));
        w.written.back().operand = at;
      };
      for (int i = 0; i < group.stores.size; ++i) written(f.pool[group.stores.begin + i]);
      if (group.stores.size == 0) written(group.result >= 0 ? group.result : group.opaque);
      const auto read = [&](int node) {
        while (f.view_of[node] < 0 && f.materialization[node] == kernel_ir::Materialization::view)
          node = g.in(node, 0);
        if (f.view_of[node] >= 0) node = f.views[f.view_of[node]].root;
        if (!is_float(g.nodes[node].dtype)) return;
        const int at = find(plan.where[node], addresses, count);
        if (at < 0) return;
        w.read.push_back(value(g, node));
        w.read.back().operand = at;
        w.read.back().name = name_of_node(g, node, writer);
      };
      for (int i = 0; i < group.loads.size; ++i) read(f.pool[group.loads.begin + i]);
      if (group.opaque >= 0)
        for (int a = 0; a < g.nodes[group.opaque].arity; ++a) read(g.in(group.opaque, a));
      for (int i = 0; i < group.body.size; ++i) {
        const int x = f.pool[group.body.begin + i];
        for (int a = 0; a < g.nodes[x].arity; ++a)
          w.makes_infinity = w.makes_infinity || is_infinite(g, g.in(x, a));
      }
    }
    if (checks_.indices && group.opaque >= 0)
      watch_places(w, g, f, plan, writer, group.opaque, addresses, count);
  }
  static bool is_infinite(const ir::Graph& g, int node) {
    const ir::Node& n = g.nodes[node];
    return n.op == ir::Op::constant && is_float(n.dtype) && is_odd(ir::constant_value(n.dtype, n.imm), true);
  }
  // Without <cmath>, which takes longer to read than this library's operations.
  static bool is_odd(double x, bool infinities) { return x != x || (infinities && x - x != 0); }

  // Where lookups read, and blocks begin. Offsets of blocks are the launch's last operands; a copy before it
  // has none.
  void watch_places(Watched& w, const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan,
                    const List<int>& writer, int node, const u64* addresses, int count) const {
    const bool offsets = ir::is_dynamic_slice(g.nodes[node].op);
    ir::each_checked_index(g, node, [&](int k, i64 least, i64 most) {
      const int index = g.in(node, k), root = f.view_of[index] >= 0 ? f.views[f.view_of[index]].root : index;
      Value v = value(g, offsets ? index : root);
      v.operand = offsets ? count - g.nodes[node].arity + k : find(plan.where[root], addresses, count);
      v.least = least;
      v.most = most;
      v.name = name_of_node(g, root, writer);
      if (offsets || v.operand >= 0) w.places.push_back(v);
    });
  }

  template <class Read>
  const void* fetch(const Value& v, const void* from, const Read& read) {
    const i64 bytes = v.dims.size() * size_of(v.dtype);
    bytes_.resize(static_cast<std::size_t>(bytes));
    if (bytes > 0) read(bytes_.data(), from, bytes);
    return bytes_.data();
  }
  // The first element that is NaN or, where they count, infinite; -1: there is none. value_ has all.
  i64 find_odd(const Value& v, const void* values, bool infinities) {
    const i64 size = v.dims.size();
    value_.resize(static_cast<std::size_t>(size));
    with_float(v.dtype, [&]<class T>(const T*) {
      for (i64 i = 0; i < size; ++i)
        value_[static_cast<std::size_t>(i)] = static_cast<double>(static_cast<const T*>(values)[i]);
    });
    for (i64 i = 0; i < size; ++i) {
      const double x = value_[static_cast<std::size_t>(i)];
      if (is_odd(x, infinities)) return i;
    }
    return -1;
  }
  template <class F>
  static void with_float(DType dtype, const F& f) {
    switch (dtype) {
      case DType::f64:
        return f(static_cast<const f64*>(nullptr));
      case DType::f32:
        return f(static_cast<const f32*>(nullptr));
      case DType::f16:
        return f(static_cast<const f16*>(nullptr));
      case DType::bf16:
        return f(static_cast<const bf16*>(nullptr));
      case DType::f8e4m3:
        return f(static_cast<const f8e4m3*>(nullptr));
      case DType::f8e5m2:
        return f(static_cast<const f8e5m2*>(nullptr));
      default:
        return;
    }
  }
  void check_places(int step, const Value& v, const void* places) const {
    const i64 size = v.dims.size();
    with_integer(v.dtype, [&]<class T>(const T*) {
      for (i64 i = 0; i < size; ++i) {
        const i64 place = static_cast<i64>(static_cast<const T*>(places)[i]);
        if (place < v.least || place > v.most)
          throw Error("check/indices", kernel_text(step) + ": element " + place_text(v.dims, i) +
                                           " of its index, " + v.name + ", is " + std::to_string(place) +
                                           ", outside " + std::to_string(v.least) + " ... " +
                                           std::to_string(v.most));
      }
    });
  }

  std::string kernel_text(int step) const {
    return "kernel " + std::to_string(step) + ", " + steps_[static_cast<std::size_t>(step)].text;
  }

  std::vector<Watched> steps_;
  std::vector<std::byte> bytes_;
  std::vector<double> value_;
};

}  // namespace WEFT_NAMESPACE::exec
