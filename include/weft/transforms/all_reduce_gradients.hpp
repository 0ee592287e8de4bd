#pragma once
// Data parallelism: the gradients of a graph are summed over the ranks, in buckets that follow the backward
// pass. A bucket's sum begins behind the node that completes it, and all are waited for at the end of the
// graph, so that engines work while the rest of the backward pass runs. Where ranks share the arena out, each
// gets the sums of its piece alone. (Li et al., "PyTorch Distributed:
// Experiences on Accelerating Data Parallel Training", 2020.)

#include "weft/ir/collective.hpp"
#include "weft/ir/loop.hpp"

namespace WEFT_NAMESPACE::transforms {

// A gradient and where it lies in the arena, in elements.
struct ArenaGradient {
  int node = -1;
  i64 offset = 0;
  // What this rank has gathered in earlier calls and is added before: a slot, -1: nothing.
  int gathered = -1;
};

class GradientReducer {
 public:
  // `gradients`: in the order of the arena. A bucket takes at least `bucket_elements`, unless the arena ends
  // or has a hole, of parameters that are frozen. `shared`: the arena, where each rank has a piece of it;
  // without elements all have the whole. With `into`, a slot of the arena, the sums of a rank's piece are
  // added to what it has there, and no arena of gradients exists beside; reduced() are then the nodes behind
  // which the slot has them. `in_bf16`: gradients are
  // rounded to that before.
  constexpr GradientReducer(const ir::Graph& graph, const List<ArenaGradient>& gradients, i64 bucket_elements,
                            const ir::SharedVector& shared = {}, int into = -1, bool in_bf16 = false)
      : g(graph),
        b(graph, graph.nodes.size() + 4 * gradients.size()),
        gradients_(gradients),
        shared_(shared),
        into_(into),
        in_bf16_(in_bf16),
        moved_(graph.nodes.size(), -1),
        bucket_behind_(graph.nodes.size(), -1) {
    find_slices();
    make_buckets(bucket_elements);
  }

  // The graph with the sums; reduced() are the gradients' nodes there.
  constexpr ir::Graph run() {
    b.graph.bodies = g.bodies;
    b.graph.body_words = g.body_words;
    List<int> operands;
    for (int i = 0; i < g.nodes.size(); ++i) {
      const ir::Node& node = g.nodes[i];
      if (node.op == ir::Op::loop && sliced_[i]) {
        moved_[i] = move_loop(i);
      } else if (node.op == ir::Op::result && widened_at_[g.in(i, 0)] >= 0) {
        moved_[i] = move_result(i);
      } else {
        operands.clear();
        for (int k = 0; k < node.arity; ++k) operands.push(moved_[g.in(i, k)]);
        moved_[i] = b.add(node, operands.data(), operands.size());
      }
      for (int k = bucket_behind_[i]; k >= 0; k = buckets_[k].next) start(buckets_[k], k);
    }
    reduced_ = List<int>(gradients_.size(), -1);
    for (int k = 0; k < gradients_.size(); ++k)
      if (sliced_[gradients_[k].node])
        reduced_[k] =
            ir::collective_await({&b, moved_[gradients_[k].node]}, request_of(gradients_[k].node)).id;
    for (const Bucket& bucket : buckets_) finish(bucket);
    for (int x : g.inputs) b.graph.inputs.push(x < 0 ? -1 : moved_[x]);
    for (int x : g.outputs) b.graph.outputs.push(moved_[x]);
    for (const ir::Assign& a : g.assigns) b.graph.assigns.push({a.slot, moved_[a.node]});
    return static_cast<ir::Graph&&>(b.graph);
  }
  constexpr const List<int>& reduced() const { return reduced_; }
  // Requests that the sums take, from 0.
  constexpr int requests() const { return buckets_.size() + slices_; }

 private:
  struct Bucket {
    int begin = 0, end = 0;  // of gradients_
    int next = -1;           // another that the same node completes
    int start = -1;          // the node that begins its sum
  };

  // ---- gradients of a stack's slices, one a trip of a loop, which are summed in the trip that makes them
  // ----
  // A loop that is moved so: its outputs that are gradients, and the request of the first one.
  struct Widened {
    ir::WidenedLoop wider;
    List<int> outputs;  // of the body
    int first_request = 0;
  };
  // Marks results that are one parameter's gradient and nothing else, and their loops. Small ones go
  // together, behind the loop.
  constexpr void find_slices() {
    constexpr i64 least_slice = 4096;  // elements
    sliced_ = List<u8>(g.nodes.size(), 0);
    widened_at_ = List<int>(g.nodes.size(), -1);
    if (into_ < 0) return;
    List<int> uses(g.nodes.size(), 0);
    for (const int x : g.edges) ++uses[x];
    for (const int x : g.outputs) ++uses[x];
    for (const ir::Assign& a : g.assigns) ++uses[a.node];
    for (const ArenaGradient& gradient : gradients_) ++uses[gradient.node];
    for (const ArenaGradient& gradient : gradients_) {
      const ir::Node& node = g.nodes[gradient.node];
      if (node.op != ir::Op::result || uses[gradient.node] > 1 || gradient.gathered >= 0) continue;
      const int loop = g.in(gradient.node, 0);
      if (g.nodes[loop].op != ir::Op::loop) continue;
      const ir::LoopShape shape = ir::loop_shape(g, loop);
      if (static_cast<int>(node.imm) < 2 * shape.carries ||
          g.dims(gradient.node).size() < least_slice * shape.trips)
        continue;
      sliced_[gradient.node] = sliced_[loop] = 1;
      ++slices_;
    }
  }
  // A loop that carries, in the place of a gradient's slices, what says that they are on their way: a trip
  // waits for those of the one before when it has its own.
  constexpr int move_loop(int i) {
    ir::Node node = g.nodes[i];
    const ir::Graph body = ir::loop_body(g, i);
    ir::LoopShape shape = ir::loop_shape(g, i);
    List<int> outputs, places, begun;  // of the body; nodes here
    for (const ArenaGradient& gradient : gradients_) {
      if (!sliced_[gradient.node] || g.in(gradient.node, 0) != i) continue;
      outputs.push(shape.carries + static_cast<int>(g.nodes[gradient.node].imm) - 2 * shape.carries);
      places.push(place_of(gradient));
      const DType dtype = in_bf16_ ? DType::bf16 : g.nodes[gradient.node].dtype;
      const i64 one[1]{1};
      begun.push(ir::constant(b, dtype, ir::make_dims(1, one), 0).id);
    }
    const ir::WidenedLoop wider{shape, outputs.size(), outputs.size()};
    widened_at_[i] = widened_.size();
    widened_.push({wider, outputs, buckets_.size() + next_slice_});
    const int carries_end = shape.carries, stacked_end = shape.carries + shape.stacked;
    List<int> operands;
    for (int k = 0; k < carries_end; ++k) operands.push(moved_[g.in(i, k)]);
    operands.append(begun.data(), begun.size());
    for (int k = carries_end; k < stacked_end; ++k) operands.push(moved_[g.in(i, k)]);
    operands.append(places.data(), places.size());
    for (int k = stacked_end; k < node.arity; ++k) operands.push(moved_[g.in(i, k)]);
    node.imm = static_cast<u64>(ir::add_body(b.graph, sum_in(body, wider, outputs)));
    shape.carries += outputs.size();
    shape.stacked += outputs.size();
    shape.outputs -= outputs.size();
    node.list = ir::loop_list(b, shape);
    return b.add(node, operands.data(), operands.size());
  }
  // The part of the slot where a gradient is summed.
  constexpr int place_of(const ArenaGradient& gradient) {
    const ir::Slot into = b.graph.slots[into_];
    const Dims& d = g.dims(gradient.node);
    b.graph.slots.push(
        {into.space, into.dtype, b.shape(d), -1, into.offset + gradient.offset * size_of(into.dtype)});
    return b.leaf(ir::Op::state, into.dtype, d, static_cast<u64>(b.graph.slots.size() - 1));
  }
  // `outputs`: of the body, which are carried in their order, and no longer stacked.
  constexpr ir::Graph sum_in(const ir::Graph& body, const ir::WidenedLoop& wider, const List<int>& outputs) {
    ir::Builder inside(body, body.nodes.size() + 6 * outputs.size());
    inside.graph.bodies = body.bodies;
    inside.graph.body_words = body.body_words;
    if (body.key_input >= 0) inside.graph.key_input = wider.operand(body.key_input);
    const DType dtype = b.graph.slots[into_].dtype;
    List<int> moved(body.nodes.size(), -1), operands, start(body.outputs.size(), -1);
    for (int i = 0; i < body.nodes.size(); ++i) {
      ir::Node node = body.nodes[i];
      if (node.op == ir::Op::input) node.imm = static_cast<u64>(wider.operand(static_cast<int>(node.imm)));
      operands.clear();
      for (int k = 0; k < node.arity; ++k) operands.push(moved[body.in(i, k)]);
      moved[i] = inside.add(node, operands.data(), operands.size());
    }
    inside.graph.inputs = List<int>(body.inputs.size() + 2 * outputs.size(), -1);
    for (int k = 0; k < body.inputs.size(); ++k)
      if (body.inputs[k] >= 0) inside.graph.inputs[wider.operand(k)] = moved[body.inputs[k]];
    const auto add_input = [&](int number, DType of, const Dims& d) {
      inside.graph.inputs[number] = inside.leaf(ir::Op::input, of, d, static_cast<u64>(number));
      return ir::Value{&inside, inside.graph.inputs[number]};
    };
    const int carries = wider.before.carries;
    const i64 one[1]{1};
    for (int k = 0; k < outputs.size(); ++k) {
      ir::Value x{&inside, moved[body.outputs[outputs[k]]]};
      if (in_bf16_) x = ir::cast(x, DType::bf16);
      const int request = buckets_.size() + next_slice_++;
      const ir::Value before = add_input(carries + k, x.dtype(), ir::make_dims(1, one)),
                      place = add_input(carries + wider.before.stacked + outputs.size() + k, dtype, x.dims());
      // not x: what precision does with a gradient depends on who reads it
      const ir::Value free = ir::add_dependency(place, ir::collective_await(before, request));
      start[outputs[k]] =
          ir::reduce_scatter_state_start(x, free, b.graph.slots[into_].offset, shared_, request).id;
    }
    for (int k = 0; k < carries; ++k) inside.graph.outputs.push(moved[body.outputs[k]]);
    for (const int k : outputs) inside.graph.outputs.push(start[k]);
    for (int k = carries; k < body.outputs.size(); ++k)
      if (start[k] < 0) inside.graph.outputs.push(moved[body.outputs[k]]);
    for (const ir::Assign& a : body.assigns) inside.graph.assigns.push({a.slot, moved[a.node]});
    return static_cast<ir::Graph&&>(inside.graph);
  }
  // A result of such a loop: of a gradient what was carried for it.
  constexpr int move_result(int i) {
    ir::Node node = g.nodes[i];
    const Widened& loop = widened_[widened_at_[g.in(i, 0)]];
    const int carries = loop.wider.before.carries, which = static_cast<int>(node.imm);
    int moved = loop.wider.result(which);
    for (int k = 0; k < loop.outputs.size(); ++k) {
      const int output = loop.outputs[k] + carries;  // as a result
      if (which == output) {
        const ir::Value all{&b, moved_[g.in(i, 0)]};
        const ir::Value begun = all.in(carries + k);
        return ir::region_result(all, carries + k, begun.dtype(), begun.dims()).id;
      }
      if (which > output) --moved;
    }
    node.imm = static_cast<u64>(moved);
    return b.add(node, &moved_[g.in(i, 0)], 1);
  }
  constexpr int request_of(int gradient) const {
    const Widened& loop = widened_[widened_at_[g.in(gradient, 0)]];
    int k = 0;
    while (loop.outputs[k] + loop.wider.before.carries != static_cast<int>(g.nodes[gradient].imm)) ++k;
    return loop.first_request + k;
  }

  // Whether more lies between gradient k and the one before than aligns it.
  constexpr bool behind_hole(int k) const {
    const ArenaGradient &before = gradients_[k - 1], &at = gradients_[k];
    constexpr i64 most_alignment = 256;  // bytes
    return (at.offset - before.offset - g.dims(before.node).size()) * size_of(g.nodes[at.node].dtype) >=
           most_alignment;
  }
  // From the arena's end, which the backward pass fills first.
  constexpr void make_buckets(i64 bucket_elements) {
    int end = gradients_.size();
    i64 elements = 0;
    for (int k = end - 1; k >= 0; --k) {
      if (sliced_[gradients_[k].node]) {  // a bucket ends there
        close(k + 1, end);
        end = k;
        elements = 0;
        continue;
      }
      elements += g.dims(gradients_[k].node).size();
      const bool is_full = into_ >= 0 && end - k == ir::most_scattered;
      if (elements < bucket_elements && k > 0 && !is_full && (into_ >= 0 || !behind_hole(k))) continue;
      close(k, end);
      end = k;
      elements = 0;
    }
  }
  constexpr void close(int begin, int end) {
    if (begin == end) return;
    int last = 0;
    for (int i = begin; i < end; ++i)
      if (last < gradients_[i].node) last = gradients_[i].node;
    buckets_.push({begin, end, bucket_behind_[last], -1});
    bucket_behind_[last] = buckets_.size() - 1;
  }

  constexpr void start(Bucket& bucket, int request) {
    List<int> operands;
    List<i64> offsets;
    i64 last = 0;
    for (int k = bucket.begin; k < bucket.end; ++k) {
      const ArenaGradient& gradient = gradients_[k];
      ir::Value x{&b, moved_[gradient.node]};
      if (gradient.gathered >= 0) x = x + ir::read_slot(b, gradient.gathered);
      if (in_bf16_) x = ir::cast(x, DType::bf16);
      operands.push(x.id);
      offsets.push(gradient.offset);
      last = gradient.offset + x.dims().size();
    }
    if (into_ >= 0) {
      bucket.start = ir::reduce_scatter_into_start(b, into_, shared_, operands, offsets, request).id;
      return;
    }
    const DType dtype = b.graph.nodes[operands[0]].dtype;
    constexpr u64 whole_arena = ~u64{0};
    const ir::Value flat = ir::flat_concat(b, dtype, last, operands, offsets, whole_arena);
    const i64 length = last - offsets[0];
    bucket.start =
        (shared_.elements > 0 ? ir::reduce_scatter_start(flat, offsets[0], length, shared_, request)
                              : ir::all_reduce_start(flat, offsets[0], length, request))
            .id;
  }
  constexpr void finish(const Bucket& bucket) {
    const ir::Value sum = ir::collective_done({&b, bucket.start});
    const i64 first = gradients_[bucket.begin].offset;
    for (int k = bucket.begin; k < bucket.end; ++k) {
      const ir::Node& gradient = g.nodes[gradients_[k].node];
      reduced_[k] =
          into_ >= 0 ? sum.id
                     : ir::cast(ir::flat_slice(sum, gradients_[k].offset - first, g.shapes[gradient.shape]),
                                gradient.dtype)
                           .id;
    }
  }

  const ir::Graph& g;
  ir::Builder b;
  List<ArenaGradient> gradients_;
  ir::SharedVector shared_;
  int into_ = -1;
  bool in_bf16_ = false;
  List<Bucket> buckets_;
  List<u8> sliced_;
  List<int> widened_at_;  // of a loop, where it is among these
  List<Widened> widened_;
  int slices_ = 0, next_slice_ = 0;
  List<int> moved_, bucket_behind_, reduced_;
};

}  // namespace WEFT_NAMESPACE::transforms
