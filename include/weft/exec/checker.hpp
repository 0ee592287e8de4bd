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
#include "weft/exec/state_names.hpp"
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
    watch_graph(m.graph, m.fusion, m.plan, ir::Scopes(m.graph, &state_name<Source>), {});
  }

  // Step `step`, a loop, begins its next trip.
  void enter(int step, i64 trip) {
    for (Loop& loop : loops_)
      if (loop.step == step) loop.slice = loop.reverse ? loop.trips - 1 - trip : trip;
  }

  // `read(to, from, bytes)` brings memory of the device to the host.
  template <class Launch, class Read>
  void before(int step, const Launch& launch, const Read& read) {
    Watched& w = steps_[static_cast<std::size_t>(step)];
    for (const Value& v : w.places)
      check_places(step, v, fetch(v, launch.args.pointer[v.operand], launch.args, read));
    for (Value& v : w.read) {  // now: the kernel may write in place
      v.odd = find_odd(v, fetch(v, launch.args.pointer[v.operand], launch.args, read), true);
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
      const i64 odd = find_odd(v, fetch(v, at, launch.args, read), !w.makes_infinity && reason == nullptr);
      if (odd < 0) continue;
      std::string text = kernel_text(step) + ": element " + place_text(v.dims, odd) + " of its result " +
                         v.name + " is " + number_text(value_[static_cast<std::size_t>(odd)]);
      if (reason != nullptr)
        text += "; it read " + number_text(reason->odd_value) + " at " +
                place_text(reason->dims, reason->odd) + " of " + reason->name;
      throw Error("check/finite", with_slices(text));
    }
  }

 private:
  // An operand of a step, by its number among the step's pointers or its sums.
  struct Value {
    int operand = -1, sum = -1;
    DType dtype{};
    Dims dims;
    std::string name;
    i64 row = 1, pitch = 1;   // elements of a row, and from one row to the next
    i64 ranges = 0;           // elements of the parameter group that the kernel walks
    i64 least = 0, most = 0;  // of places
    i64 odd = -1;             // the first element that is not finite, before the kernel runs; -1: none
    double odd_value = 0;
  };
  // A loop, and the slice that its trip at hand works on; in names it is "{step}" until they are said.
  struct Loop {
    int step = -1;
    i64 trips = 0;
    bool reverse = false;
    i64 slice = -1;
  };
  struct Watched {
    std::string text;  // of the kernel, as in explain()
    bool makes_infinity = false;
    std::vector<Value> written, read, places;
  };

  // `operands`: what the inputs of a loop's body are called.
  void watch_graph(const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan,
                   const ir::Scopes& scopes, const List<std::string>& operands) {
    const List<u8> spared = scaled_nodes(g, scale_offset_of<Source>());
    List<std::string> origin(g.nodes.size(), earlier);  // what a node's value is called
    for (int i = 0; i < g.nodes.size(); ++i) {
      const ir::Node& n = g.nodes[i];
      if (n.op == ir::Op::input)
        origin[i] = g.is_body ? operands[static_cast<int>(n.imm)] : "input " + std::to_string(n.imm);
      if (n.op == ir::Op::state) origin[i] = slot_name(g.slots[static_cast<int>(n.imm)], &state_name<Source>);
    }
    for (int k = 0; k < f.kernels.size(); ++k) {
      const compiler::Lowered lowered = compiler::lower(g, f, plan, k, k + 1);
      for (int i = 0; i < lowered.steps.size(); ++i) {
        const compiler::Step& step = lowered.steps[i];
        const u64* addresses = lowered.addresses.data() + step.addresses.begin;
        const ExplainedStep explained = explain_detail::explain_step(g, f, plan, scopes, k, lowered, step);
        Watched w;
        w.text = explained.kernel + " " + explained.text();
        if (step.kind == compiler::StepKind::combine_partials)
          watch_sums(w, g, f, plan, spared, addresses, step.addresses.size / 2);
        else if (step.kind != compiler::StepKind::copy && step.kind != compiler::StepKind::repeat)
          watch_kernel(w, g, f, plan, spared, origin, k, addresses, step.addresses.size);
        if (step.kind == compiler::StepKind::fused)
          for (std::vector<Value>* values : {&w.written, &w.read})
            for (Value& v : *values) v.ranges = length_of_ranges(lowered, step);
        steps_.push_back(std::move(w));
        if (step.kind != compiler::StepKind::repeat) continue;
        const kernel_ir::LoopMemory inside(g, f, plan, k);
        const int loop = f.kernels[k].opaque, own = static_cast<int>(steps_.size()) - 1;
        const std::string slice = "{" + std::to_string(own) + "}";
        List<std::string> given(inside.shape.operands(), earlier);  // carries change
        for (int a = inside.shape.carries; a < inside.shape.operands(); ++a) {
          given[a] = origin[root_of(g, f, g.in(loop, a))];
          if (!inside.shape.is_stacked(a) || given[a] == earlier) continue;
          const bool of_stack = given[a].find('*') != std::string::npos;
          given[a] = of_stack ? ir::in_slice(given[a], slice) : "slice " + slice + " of " + given[a];
        }
        loops_.push_back({own, inside.shape.trips, inside.shape.reverse});
        watch_graph(inside.body, inside.fusion, inside.plan, scopes.of_body(loop, inside.body, slice), given);
        i += lowered.repeat_call(step).inside;
      }
    }
  }

  static i64 length_of_ranges(const compiler::Lowered& lowered, const compiler::Step& step) {
    const u64* numbers = lowered.numbers.data() + step.numbers.begin;
    const auto call = kernels::FusedCall::decode(numbers);
    i64 length = 0;
    for (int k = 0; k < call.segments(step.numbers.size); ++k) length += call.segment(numbers, k).length;
    return length;
  }
  static int find(u64 address, const u64* addresses, int count) {
    for (int a = 0; a < count; ++a)
      if (addresses[a] == address) return a;
    return -1;
  }
  // Whose memory a view of it is read in.
  static int root_of(const ir::Graph& g, const kernel_ir::Fusion& f, int node) {
    while (f.view_of[node] < 0 && f.materialization[node] == kernel_ir::Materialization::view)
      node = g.in(node, 0);
    return f.view_of[node] >= 0 ? f.views[f.view_of[node]].root : node;
  }
  Value value(const ir::Graph& g, const kernel_ir::Fusion& f, int node) const {
    Value v;
    v.row = v.pitch = kernel_ir::row_of(g.dims(node));
    if (f.stored[node] == kernel_ir::stored_padded)
      v.pitch = kernel_ir::padded_row(v.row, g.nodes[node].dtype);
    v.dtype = g.nodes[node].dtype;
    v.dims = g.dims(node);
    v.name = std::string(to_text(v.dims).c_str()) + " of " + weft::name_of(v.dtype);
    return v;
  }

  // Second stages: what they write was summed by this kernel or one before it.
  void watch_sums(Watched& w, const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan,
                  const List<u8>& spared, const u64* addresses, int sums) const {
    if (!checks_.finite) return;
    for (int s = 0; s < sums; ++s)
      for (int node = 0; node < g.nodes.size(); ++node) {
        if (plan.where[node] != addresses[2 * s + 1] || !ir::is_reduction(g.nodes[node].op)) continue;
        if (spared[node] || !is_float(g.nodes[node].dtype)) break;
        w.written.push_back(value(g, f, node));
        w.written.back().sum = s;
        break;
      }
  }

  void watch_kernel(Watched& w, const ir::Graph& g, const kernel_ir::Fusion& f, const kernel_ir::Plan& plan,
                    const List<u8>& spared, List<std::string>& origin, int k, const u64* addresses,
                    int count) const {
    const kernel_ir::Kernel& kernel = f.kernels[k];
    const std::string own = "the result of kernel " + std::to_string(steps_.size()) + ",";
    for (int i = 0; i < kernel.stores.size; ++i) origin[f.pool[kernel.stores.begin + i]] = own;
    if (kernel.opaque >= 0) origin[kernel.result >= 0 ? kernel.result : kernel.opaque] = own;
    if (checks_.finite) {
      const auto written = [&](int node) {
        if (node < 0 || spared[node] || !is_float(g.nodes[node].dtype)) return;
        if (is_under_way(g, node) || is_of_pieces(g, f, node)) return;
        const int at = find(plan.where[node], addresses, count);
        if (at < 0) return;
        w.written.push_back(value(g, f, node));
        w.written.back().operand = at;
      };
      for (int i = 0; i < kernel.stores.size; ++i) written(f.pool[kernel.stores.begin + i]);
      if (kernel.stores.size == 0) written(kernel.result >= 0 ? kernel.result : kernel.opaque);
      // of state that is gathered, or added to, a rank has a piece
      const bool gathers =
          kernel.opaque >= 0 && (g.nodes[kernel.opaque].op == ir::Op::all_gather_state_start ||
                                 g.nodes[kernel.opaque].op == ir::Op::reduce_scatter_state_start);
      const auto read = [&](int node) {
        if (gathers) return;
        node = root_of(g, f, node);
        if (!is_float(g.nodes[node].dtype) || is_under_way(g, node) || is_of_pieces(g, f, node)) return;
        const int at = find(plan.where[node], addresses, count);
        if (at < 0) return;
        w.read.push_back(value(g, f, node));
        w.read.back().operand = at;
        w.read.back().name = origin[node] + " " + w.read.back().name;
      };
      for (int i = 0; i < kernel.loads.size; ++i) read(f.pool[kernel.loads.begin + i]);
      if (kernel.opaque >= 0)
        for (int a = 0; a < g.nodes[kernel.opaque].arity; ++a) read(g.in(kernel.opaque, a));
      // where a query sees no key, the log-sum-exp is -infinity
      if (kernel.opaque >= 0 && ir::is_attention(g.nodes[kernel.opaque].op))
        w.makes_infinity = transforms::may_mask(ir::attention_body(g, kernel.opaque),
                                                ir::attention_shape(g, kernel.opaque).captured);
      for (int i = 0; i < kernel.body.size; ++i) {
        const int x = f.pool[kernel.body.begin + i];
        for (int a = 0; a < g.nodes[x].arity; ++a)
          w.makes_infinity = w.makes_infinity || is_infinite(g, g.in(x, a));
      }
    }
    if (checks_.indices && kernel.opaque >= 0)
      watch_places(w, g, f, plan, origin, kernel.opaque, addresses, count);
  }
  // What ranks exchange, until it is waited for: only what begins such has attributes.
  static bool is_under_way(const ir::Graph& g, int node) {
    return ir::is_collective(g.nodes[node].op) && g.attributes(node) > 0;
  }
  // Of which a rank has its own piece alone: sums that are shared out, and what ranks will gather of them.
  static bool is_of_pieces(const ir::Graph& g, const kernel_ir::Fusion& f, int node) {
    if (g.nodes[node].op == ir::Op::reduce_scatter_done) return true;
    for (int i = node + 1; i < g.nodes.size(); ++i)
      if (g.nodes[i].op == ir::Op::all_gather_start && root_of(g, f, g.in(i, 0)) == node) return true;
    return false;
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
                    const List<std::string>& origin, int node, const u64* addresses, int count) const {
    const bool offsets = ir::is_dynamic_slice(g.nodes[node].op);
    ir::each_checked_index(g, node, [&](int k, i64 least, i64 most) {
      const int index = g.in(node, k), root = f.view_of[index] >= 0 ? f.views[f.view_of[index]].root : index;
      Value v = value(g, f, offsets ? index : root);
      v.operand = offsets ? count - g.nodes[node].arity + k : find(plan.where[root], addresses, count);
      v.least = least;
      v.most = most;
      v.name = origin[root] + " " + value(g, f, root).name;
      if (offsets || v.operand >= 0) w.places.push_back(v);
    });
  }

  // Of a vector that a rank has a piece of, that piece, and zeros behind it; of one that is walked by rows
  // zeros.
  template <class Args, class Read>
  const void* fetch(const Value& v, const void* from, const Args& args, const Read& read) {
    const i64 unit = size_of(v.dtype), bytes = v.dims.size() * unit;
    bytes_.resize(static_cast<std::size_t>(bytes));
    const bool is_piece = v.ranges > 0 ? v.dims.size() == v.ranges : v.dims.size() > 1;
    if (args.clipped && is_piece) {
      for (auto& byte : bytes_) byte = {};
      i64 to = 0;
      for (int s = 0; s < args.segment_count; ++s) {
        kernels::Segment segment;  // a GPU has them in its memory
        read(&segment, args.segments + s, sizeof segment);
        const i64 length = segment.length * unit;
        read(bytes_.data() + to, static_cast<const std::byte*>(from) + segment.offset * unit, length);
        to += length;
      }
    } else if (bytes > 0 && v.pitch != v.row) {
      const i64 rows = v.dims.size() / v.row;
      for (i64 r = 0; r < rows; ++r)
        read(bytes_.data() + r * v.row * unit, static_cast<const std::byte*>(from) + r * v.pitch * unit,
             v.row * unit);
    } else if (bytes > 0) {
      read(bytes_.data(), from, bytes);
    }
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
          throw Error("check/indices",
                      with_slices(kernel_text(step) + ": element " + place_text(v.dims, i) +
                                  " of its index, " + v.name + ", is " + std::to_string(place) +
                                  ", outside " + std::to_string(v.least) + " ... " + std::to_string(v.most)));
      }
    });
  }

  // In the place of each loop's "{step}" the slice that it works on.
  std::string with_slices(std::string text) const {
    for (const Loop& loop : loops_) {
      const std::string mark = "{" + std::to_string(loop.step) + "}";
      for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark))
        text.replace(at, mark.size(), std::to_string(loop.slice));
    }
    return text;
  }
  std::string kernel_text(int step) const {
    return "kernel " + std::to_string(step) + ", " + steps_[static_cast<std::size_t>(step)].text;
  }

  static constexpr const char* earlier = "an earlier value";
  std::vector<Watched> steps_;
  std::vector<Loop> loops_;
  std::vector<std::byte> bytes_;
  std::vector<double> value_;
};

}  // namespace WEFT_NAMESPACE::exec
