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
      if (sliced_[i] > 0) {
        moved_[i] = g.nodes[i].op == ir::Op::loop ? move_loop(i) : move_slices(i);
        continue;
      }
      operands.clear();
      for (int k = 0; k < g.nodes[i].arity; ++k) operands.push(moved_[g.in(i, k)]);
      moved_[i] = b.add(g.nodes[i], operands.data(), operands.size());
      for (int k = bucket_behind_[i]; k >= 0; k = buckets_[k].next) start(buckets_[k], k);
    }
    reduced_ = List<int>(gradients_.size(), -1);
    for (int k = 0; k < gradients_.size(); ++k)
      if (sliced_[gradients_[k].node]) reduced_[k] = moved_[gradients_[k].node];
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
  // Marks results that are one parameter's gradient and nothing else, and their loops. Small ones go
  // together, behind the loop.
  constexpr void find_slices() {
    constexpr i64 least_slice = 4096;  // elements
    sliced_ = List<u8>(g.nodes.size(), 0);
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
  // A loop that yields, in the place of a gradient's slices, what says that they are where they belong.
  constexpr int move_loop(int i) {
    ir::Node node = g.nodes[i];
    const ir::Graph body = ir::loop_body(g, i);
    ir::LoopShape shape = ir::loop_shape(g, i);
    List<int> operands;
    for (int k = 0; k < node.arity; ++k) operands.push(moved_[g.in(i, k)]);
    // what the body reads stands behind its other stacked operands
    const int place_at = shape.carries + shape.stacked;
    List<int> outputs, places;  // of the body; nodes here
    for (const ArenaGradient& gradient : gradients_) {
      if (!sliced_[gradient.node] || g.in(gradient.node, 0) != i) continue;
      outputs.push(shape.carries + static_cast<int>(g.nodes[gradient.node].imm) - 2 * shape.carries);
      places.push(place_of(gradient));
    }
    List<int> all;
    for (int k = 0; k < place_at; ++k) all.push(operands[k]);
    all.append(places.data(), places.size());
    for (int k = place_at; k < operands.size(); ++k) all.push(operands[k]);
    shape.stacked += places.size();
    node.list = ir::loop_list(b, shape);
    node.imm = static_cast<u64>(ir::add_body(b.graph, sum_in(body, place_at, outputs)));
    return b.add(node, all.data(), all.size());
  }
  // The part of the slot where a gradient is summed.
  constexpr int place_of(const ArenaGradient& gradient) {
    const ir::Slot into = b.graph.slots[into_];
    const Dims& d = g.dims(gradient.node);
    b.graph.slots.push(
        {into.space, into.dtype, b.shape(d), -1, into.offset + gradient.offset * size_of(into.dtype)});
    return b.leaf(ir::Op::state, into.dtype, d, static_cast<u64>(b.graph.slots.size() - 1));
  }
  constexpr ir::Graph sum_in(const ir::Graph& body, int place_at, const List<int>& outputs) {
    ir::Builder inside(body, body.nodes.size() + 4 * outputs.size());
    inside.graph.bodies = body.bodies;
    inside.graph.body_words = body.body_words;
    if (body.key_input >= place_at) inside.graph.key_input += outputs.size();
    const DType dtype = b.graph.slots[into_].dtype;
    List<int> moved(body.nodes.size(), -1), operands, done(body.outputs.size(), -1);
    for (int i = 0; i < body.nodes.size(); ++i) {
      ir::Node node = body.nodes[i];
      if (node.op == ir::Op::input && static_cast<int>(node.imm) >= place_at)
        node.imm += static_cast<u64>(outputs.size());
      operands.clear();
      for (int k = 0; k < node.arity; ++k) operands.push(moved[body.in(i, k)]);
      moved[i] = inside.add(node, operands.data(), operands.size());
    }
    for (int k = 0; k < body.inputs.size() + outputs.size(); ++k) {
      const int before = k < place_at ? k : k - outputs.size();
      if (k >= place_at && k < place_at + outputs.size()) {
        const Dims& d = body.dims(body.outputs[outputs[k - place_at]]);
        inside.graph.inputs.push(inside.leaf(ir::Op::input, dtype, d, static_cast<u64>(k)));
      } else {
        inside.graph.inputs.push(body.inputs[before] < 0 ? -1 : moved[body.inputs[before]]);
      }
    }
    for (int k = 0; k < outputs.size(); ++k) {
      ir::Value x{&inside, moved[body.outputs[outputs[k]]]};
      if (in_bf16_) x = ir::cast(x, DType::bf16);
      const ir::Value place{&inside, inside.graph.inputs[place_at + k]};
      const int request = buckets_.size() + next_slice_++;
      done[outputs[k]] =
          ir::reduce_scatter_state_start(x, place, b.graph.slots[into_].offset, shared_, request).id;
    }
    for (const int k : outputs) done[k] = ir::collective_done({&inside, done[k]}).id;
    for (int k = 0; k < body.outputs.size(); ++k)
      inside.graph.outputs.push(done[k] >= 0 ? done[k] : moved[body.outputs[k]]);
    for (const ir::Assign& a : body.assigns) inside.graph.assigns.push({a.slot, moved[a.node]});
    return static_cast<ir::Graph&&>(inside.graph);
  }
  // The result that was a gradient, (trips, 1): the first trip's.
  constexpr int move_slices(int i) {
    const ir::Node& node = g.nodes[i];
    const i64 extents[2]{ir::loop_shape(g, g.in(i, 0)).trips, 1}, one[1]{1};
    const DType dtype = in_bf16_ ? DType::bf16 : node.dtype;
    const ir::Value all = ir::region_result({&b, moved_[g.in(i, 0)]}, static_cast<int>(node.imm), dtype,
                                            ir::make_dims(2, extents));
    return ir::flat_slice(ir::reshape(all, ir::make_dims(1, extents)), 0, ir::make_dims(1, one)).id;
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
  int slices_ = 0, next_slice_ = 0;
  List<int> moved_, bucket_behind_, reduced_;
};

}  // namespace WEFT_NAMESPACE::transforms
