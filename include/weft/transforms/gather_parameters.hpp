#pragma once
// Parameters that ranks share out, each with a piece: what the program reads of them is gathered just before
// and dropped behind (ZeRO, stage 3: Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion
// Parameter Models", 2020). Parameters go in units, a block or a module. While one is computed with, the next
// one is on its way; the two that were read last need not be gathered anew. Of an nn::Stack each trip of its
// loop gathers its own. What is read in a lower precision alone comes in it.
//
// Law: the bits are those of the graph without; nothing reads the parameters' state but what begins to gather
// it, and the updates of parameter groups, which walk a rank's piece.

#include "weft/ir/collective.hpp"
#include "weft/ir/loop.hpp"

namespace WEFT_NAMESPACE::transforms {

// A parameter of the arena: elements [begin, ...) up to the next one's, and its unit.
struct ArenaParameter {
  i64 begin = 0;
  int unit = 0;
};

class ParameterGatherer {
 public:
  // `parameters`: in the order of the arena. `shared`: the arena, whose elements are of `dtype`. Requests are
  // numbered from `first_request` on, in bodies of loops, too.
  constexpr ParameterGatherer(const ir::Graph& graph, const List<ArenaParameter>& parameters,
                              const ir::SharedVector& shared, DType dtype, int first_request)
      : g(graph),
        b(graph, graph.nodes.size() + 4 * parameters.size()),
        parameters_(parameters),
        shared_(shared),
        dtype_(dtype),
        next_request_(first_request),
        moved_(graph.nodes.size(), -1) {
    b.graph.bodies = g.bodies;
    b.graph.body_words = g.body_words;
    find_sources();
    find_openings();
    for (Opening& opening : openings_) join(opening);
  }

  constexpr ir::Graph run() {
    next_use_ = 0;
    List<int> operands;
    for (int i = 0; i < g.nodes.size(); ++i) {
      if (base_[i] >= 0) continue;
      const ir::Node& node = g.nodes[i];
      if (node.op == ir::Op::loop && reads_slices(i)) {
        moved_[i] = move_loop(i);
        continue;
      }
      operands.clear();
      for (int k = 0; k < node.arity; ++k) operands.push(read(g.in(i, k)));
      moved_[i] = b.add(node, operands.data(), operands.size());
    }
    for (const int x : g.inputs) b.graph.inputs.push(x < 0 ? -1 : moved_[x]);
    for (const int x : g.outputs) b.graph.outputs.push(read(x));
    for (const ir::Assign& a : g.assigns) b.graph.assigns.push({a.slot, read(a.node)});
    return static_cast<ir::Graph&&>(b.graph);
  }

 private:
  // What a node is of the arena's elements from `begin` on: as they are, or as another dtype.
  struct Source {
    i64 begin = 0;
    DType dtype{};
  };
  struct Read {
    i64 begin = 0, length = 0;
    DType dtype{};
    int run = -1;
  };
  // Reads that lie side by side, which are gathered as one.
  struct Run {
    i64 begin = 0, length = 0;
    DType dtype{};
    int start = -1, done = -1;  // nodes
  };
  // From where a unit is gathered until it is forgotten.
  struct Opening {
    int unit = -1;
    List<Read> reads;
    List<Run> runs;
  };
  // A use, in the order of the graph: read number `read` of an opening.
  struct Use {
    int opening = 0, read = 0;
  };

  // State, and parts and casts of it that are gathered as what they are; and views of these, which are made
  // anew for each that reads them.
  constexpr void find_sources() {
    source_of_ = base_ = List<int>(g.nodes.size(), -1);
    const i64 unit = size_of(dtype_);
    for (int i = 0; i < g.nodes.size(); ++i) {
      const ir::Node& node = g.nodes[i];
      if (is_view(node.op)) base_[i] = base_[g.in(i, 0)];
      Source found;
      if (node.op == ir::Op::state) {
        const ir::Slot& slot = g.slots[static_cast<int>(node.imm)];
        if (slot.space != ir::Space::model || slot.segments >= 0 || slot.offset >= shared_.elements * unit)
          continue;
        found = {slot.offset / unit, dtype_};
      } else if (node.op == ir::Op::cast || node.op == ir::Op::flat_slice) {
        const int of = source_of_[g.in(i, 0)];
        if (of < 0) continue;
        found = sources_[of];
        if (node.op == ir::Op::flat_slice) {
          found.begin += static_cast<i64>(node.imm);
        } else {
          const bool narrows =
              dtype_ == DType::f32 && (node.dtype == DType::bf16 || node.dtype == DType::f16);
          if (found.dtype != dtype_ || !(narrows || node.dtype == dtype_)) continue;
          found.dtype = node.dtype;
        }
      } else {
        continue;
      }
      source_of_[i] = sources_.size();
      base_[i] = i;
      sources_.push(found);
    }
  }
  static constexpr bool is_view(ir::Op op) {
    return op == ir::Op::reshape || op == ir::Op::permute || op == ir::Op::slice || op == ir::Op::broadcast;
  }
  constexpr int unit_of(i64 begin) const {
    int low = 0, high = parameters_.size();  // the last that begins no later
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (parameters_[middle].begin <= begin)
        low = middle;
      else
        high = middle;
    }
    return parameters_[low].unit;
  }
  // Slices of a stack, which the trips of a loop gather themselves.
  constexpr bool is_slices(int i, int k) const {
    return g.nodes[i].op == ir::Op::loop && source_of_[g.in(i, k)] >= 0 && ir::loop_shape(g, i).is_stacked(k);
  }
  constexpr bool reads_slices(int i) const {
    for (int k = 0; k < g.nodes[i].arity; ++k)
      if (is_slices(i, k)) return true;
    return false;
  }

  constexpr void find_openings() {
    for (int i = 0; i < g.nodes.size(); ++i) {
      if (base_[i] >= 0) continue;
      for (int k = 0; k < g.nodes[i].arity; ++k)
        if (!is_slices(i, k)) note(g.in(i, k));
    }
    for (const int x : g.outputs) note(x);
    for (const ir::Assign& a : g.assigns) note(a.node);
  }
  constexpr void note(int x) {
    x = base_[x];
    if (x < 0) return;
    const Source& source = sources_[source_of_[x]];
    const int unit = unit_of(source.begin);
    if (last_[0] < 0 || openings_[last_[0]].unit != unit) {
      const bool is_other = last_[1] >= 0 && openings_[last_[1]].unit == unit;
      const int again = is_other ? last_[1] : openings_.size();
      if (!is_other) openings_.push({unit, {}, {}});
      last_[1] = last_[0];
      last_[0] = again;
    }
    Opening& opening = openings_[last_[0]];
    const i64 length = g.dims(x).size();
    int k = 0;
    while (k < opening.reads.size() &&
           !(opening.reads[k].begin == source.begin && opening.reads[k].length == length &&
             opening.reads[k].dtype == source.dtype))
      ++k;
    if (k == opening.reads.size()) opening.reads.push({source.begin, length, source.dtype, -1});
    uses_.push({last_[0], k});
  }
  // What lies between neighbours, small parameters and the room that aligns the next one, comes along: that
  // takes less time than a message.
  constexpr void join(Opening& opening) {
    constexpr i64 most_between = 4096;  // elements
    List<int> order;
    for (int k = 0; k < opening.reads.size(); ++k) order.push(k);
    sort(order, [&](int x, int y) {
      const Read &a = opening.reads[x], &c = opening.reads[y];
      return a.dtype != c.dtype ? a.dtype < c.dtype : a.begin < c.begin;
    });
    for (const int k : order) {
      Read& read = opening.reads[k];
      if (!opening.runs.empty()) {
        Run& run = opening.runs.back();
        const i64 end = run.begin + run.length;
        if (run.dtype == read.dtype && read.begin - end <= most_between) {
          if (read.begin + read.length > end) run.length = read.begin + read.length - run.begin;
          read.run = opening.runs.size() - 1;
          continue;
        }
      }
      read.run = opening.runs.size();
      opening.runs.push({read.begin, read.length, read.dtype});
    }
  }

  // Node x of the graph, in the new one.
  constexpr int read(int x) {
    if (base_[x] < 0) return moved_[x];
    const int source = gathered(base_[x]);
    return view(x, source);
  }
  // The views that make x of its base, of `source`.
  constexpr int view(int x, int source) {
    if (x == base_[x]) return source;
    const int operand = view(g.in(x, 0), source);
    return b.add(g.nodes[x], &operand, 1);
  }
  constexpr int gathered(int x) {
    const Use use = uses_[next_use_++];
    const Read& read = openings_[use.opening].reads[use.read];
    begin(use.opening);
    Run& run = openings_[use.opening].runs[read.run];
    if (run.done < 0) {
      run.done = ir::collective_done({&b, run.start}).id;
      if (use.opening + 1 < openings_.size()) begin(use.opening + 1);
    }
    return ir::flat_slice({&b, run.done}, read.begin - run.begin, g.dims(x)).id;
  }
  constexpr void begin(int number) {
    for (Run& run : openings_[number].runs) {
      if (run.start >= 0) continue;
      const i64 extent[1]{run.length};
      run.start = start(state(run.begin, ir::make_dims(1, extent)), run.dtype, b).id;
    }
  }
  constexpr ir::Value state(i64 begin, const Dims& dims) {
    b.graph.slots.push({ir::Space::model, dtype_, b.shape(dims), -1, begin * size_of(dtype_)});
    return {&b, b.leaf(ir::Op::state, dtype_, dims, static_cast<u64>(b.graph.slots.size() - 1))};
  }
  constexpr ir::Value start(ir::Value x, DType dtype, ir::Builder& builder) {
    return ir::all_gather_state_start({&builder, x.id}, dtype, shared_, next_request_++);
  }

  // A loop whose body gathers its slices.
  constexpr int move_loop(int i) {
    ir::Node node = g.nodes[i];
    const ir::Graph body = ir::loop_body(g, i);
    List<u8> is_slice(node.arity, 0);
    List<int> operands;
    for (int k = 0; k < node.arity; ++k) {
      const int x = g.in(i, k);
      is_slice[k] = is_slices(i, k);
      operands.push(is_slice[k] ? state(sources_[source_of_[x]].begin, g.dims(x)).id : read(x));
    }
    node.imm = static_cast<u64>(ir::add_body(b.graph, gather_in(body, is_slice)));
    return b.add(node, operands.data(), operands.size());
  }
  constexpr ir::Graph gather_in(const ir::Graph& body, const List<u8>& is_slice) {
    ir::Builder inside(body, body.nodes.size() + 3 * is_slice.size());
    inside.graph.bodies = body.bodies;
    inside.graph.body_words = body.body_words;
    List<int> moved(body.nodes.size(), -1), started(body.nodes.size(), -1), operands;
    for (int k = 0; k < is_slice.size(); ++k) {
      const int x = body.inputs[k];
      if (x < 0 || !is_slice[k]) continue;
      const ir::Node& input = body.nodes[x];
      const int slice = inside.leaf(ir::Op::input, dtype_, body.dims(x), input.imm);
      moved[x] = slice;
      started[x] = start({&inside, slice}, input.dtype, inside).id;
    }
    const List<int> inputs = moved;
    const auto read_in = [&](int x) {
      if (started[x] >= 0 && moved[x] == inputs[x]) moved[x] = ir::collective_done({&inside, started[x]}).id;
      return moved[x];
    };
    for (int i = 0; i < body.nodes.size(); ++i) {
      if (started[i] >= 0) continue;
      const ir::Node& node = body.nodes[i];
      operands.clear();
      for (int k = 0; k < node.arity; ++k) operands.push(read_in(body.in(i, k)));
      moved[i] = inside.add(node, operands.data(), operands.size());
    }
    for (const int x : body.inputs)
      inside.graph.inputs.push(x < 0 ? -1 : started[x] >= 0 ? inputs[x] : moved[x]);
    for (const int x : body.outputs) inside.graph.outputs.push(read_in(x));
    for (const ir::Assign& a : body.assigns) inside.graph.assigns.push({a.slot, read_in(a.node)});
    return static_cast<ir::Graph&&>(inside.graph);
  }

  const ir::Graph& g;
  ir::Builder b;
  const List<ArenaParameter>& parameters_;
  ir::SharedVector shared_;
  DType dtype_;
  int next_request_;
  List<int> moved_, source_of_, base_;  // the last: of a view, or of itself, the node that is a source
  List<Source> sources_;
  List<Opening> openings_;
  List<Use> uses_;
  int last_[2]{-1, -1};  // the two openings that were read last
  int next_use_ = 0;
};

}  // namespace WEFT_NAMESPACE::transforms
