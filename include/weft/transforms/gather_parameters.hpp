#pragma once
// Parameters that ranks share out, each with a piece: what the program reads of them is gathered just before
// and dropped behind (ZeRO, stage 3: Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion
// Parameter Models", 2020). Parameters go in units, a block or a module. While one is computed with, the next
// one is on its way; the two that were read last need not be gathered anew. Of an nn::Stack each trip of its
// loop gathers those of the next. What is read in a lower precision alone comes in it.
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
        moved_(graph.nodes.size(), -1),
        gathered_(graph.nodes.size(), 0) {
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
      ir::Node copy = node;
      if (node.op == ir::Op::result && gathered_[g.in(i, 0)] > 0) {
        const ir::WidenedLoop wider{ir::loop_shape(g, g.in(i, 0)), gathered_[g.in(i, 0)]};
        copy.imm = static_cast<u64>(wider.result(static_cast<int>(node.imm)));
      }
      moved_[i] = b.add(copy, operands.data(), operands.size());
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

  // A loop whose trips gather the slices of the next one, in the place of their own; those of the first trip
  // are on their way when the loop begins. Each is a carry, which alternates between two buffers.
  constexpr int move_loop(int i) {
    ir::Node node = g.nodes[i];
    const ir::Graph body = ir::loop_body(g, i);
    ir::LoopShape shape = ir::loop_shape(g, i);
    LoopOperands order;
    for (int k = 0; k < shape.operands(); ++k)
      if (shape.trips == 0 || body.inputs[k] < 0 || !is_slices(i, k))
        (k < shape.carries ? order.carries : shape.is_stacked(k) ? order.stacked : order.invariants).push(k);
      else
        order.gathered.push(k);
    List<int> operands, first_requests;
    for (const int k : order.carries) operands.push(read_operand(i, k));
    for (const int k : order.gathered) {
      const int x = g.in(i, k);
      const i64 row = ir::slice_dims(g.dims(x)).size(), trip = shape.reverse ? shape.trips - 1 : 0;
      const ir::Value first = state(sources_[source_of_[x]].begin + trip * row, ir::slice_dims(g.dims(x)));
      first_requests.push(next_request_);
      operands.push(start(first, body.nodes[body.inputs[k]].dtype, b).id);
    }
    for (const int k : order.stacked) operands.push(read_operand(i, k));
    for (const int k : order.gathered)
      operands.push(state(sources_[source_of_[g.in(i, k)]].begin, g.dims(g.in(i, k))).id);
    for (const int k : order.invariants) operands.push(read_operand(i, k));
    gathered_[i] = order.gathered.size();
    node.imm = static_cast<u64>(ir::add_body(b.graph, gather_in(body, shape, order, first_requests)));
    shape.carries += order.gathered.size();
    shape.ahead = order.gathered.size();
    node.list = ir::loop_list(b, shape);
    return b.add(node, operands.data(), operands.size());
  }
  // Which operands of a loop are what, by number; those that are gathered are carries, and stacked inputs a
  // trip ahead.
  struct LoopOperands {
    List<int> carries, gathered, stacked, invariants;
  };
  // Slices that no trip reads are what they were.
  constexpr int read_operand(int i, int k) {
    const int x = g.in(i, k);
    return is_slices(i, k) ? state(sources_[source_of_[x]].begin, g.dims(x)).id : read(x);
  }
  constexpr ir::Graph gather_in(const ir::Graph& body, const ir::LoopShape& shape, const LoopOperands& order,
                                const List<int>& requests) {
    ir::Builder inside(body, body.nodes.size() + 5 * requests.size());
    inside.graph.bodies = body.bodies;
    inside.graph.body_words = body.body_words;
    List<int> moved(body.nodes.size(), -1), gathered(body.nodes.size(), -1), ahead(requests.size(), -1),
        next(requests.size(), -1), operands;
    const auto add_input = [&](int x, DType dtype) {
      const auto number = static_cast<u64>(inside.graph.inputs.size());
      inside.graph.inputs.push(inside.leaf(ir::Op::input, dtype, body.dims(x), number));
      return inside.graph.inputs.back();
    };
    const auto keep_inputs = [&](const List<int>& numbers) {
      for (const int k : numbers) {
        if (k == body.key_input) inside.graph.key_input = inside.graph.inputs.size();
        const int x = body.inputs[k];
        if (x < 0)
          inside.graph.inputs.push(-1);
        else
          moved[x] = add_input(x, body.nodes[x].dtype);
      }
    };
    keep_inputs(order.carries);
    for (int k = 0; k < order.gathered.size(); ++k) {
      const int x = body.inputs[order.gathered[k]];
      gathered[x] = k;
      moved[x] = add_input(x, body.nodes[x].dtype);
    }
    keep_inputs(order.stacked);
    for (int k = 0; k < order.gathered.size(); ++k)
      ahead[k] = add_input(body.inputs[order.gathered[k]], dtype_);
    keep_inputs(order.invariants);
    // the next trip's is on its way as soon as this one's has arrived
    const auto read_in = [&](int x) {
      const int k = gathered[x];
      if (k < 0 || next[k] >= 0) return moved[x];
      const ir::Value arrived = ir::collective_await({&inside, moved[x]}, requests[k]);
      moved[x] = ir::add_dependency({&inside, moved[x]}, arrived).id;
      next[k] = ir::all_gather_state_start(ir::add_dependency({&inside, ahead[k]}, arrived),
                                           inside.graph.nodes[moved[x]].dtype, shared_, requests[k])
                    .id;
      return moved[x];
    };
    for (int i = 0; i < body.nodes.size(); ++i) {
      if (moved[i] >= 0) continue;
      const ir::Node& node = body.nodes[i];
      operands.clear();
      for (int k = 0; k < node.arity; ++k) operands.push(read_in(body.in(i, k)));
      moved[i] = inside.add(node, operands.data(), operands.size());
    }
    for (int k = 0; k < shape.carries; ++k) inside.graph.outputs.push(read_in(body.outputs[k]));
    for (int k = 0; k < next.size(); ++k) {
      read_in(body.inputs[order.gathered[k]]);
      inside.graph.outputs.push(next[k]);
    }
    for (int k = shape.carries; k < body.outputs.size(); ++k)
      inside.graph.outputs.push(read_in(body.outputs[k]));
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
  List<int> gathered_;   // of a loop: how many slices its trips gather
  int last_[2]{-1, -1};  // the two openings that were read last
  int next_use_ = 0;
};

}  // namespace WEFT_NAMESPACE::transforms
