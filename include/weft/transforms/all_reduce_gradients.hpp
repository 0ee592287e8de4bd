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
    make_buckets(bucket_elements);
  }

  // The graph with the sums; reduced() are the gradients' nodes there.
  constexpr ir::Graph run() {
    b.graph.bodies = g.bodies;
    b.graph.body_words = g.body_words;
    List<int> operands;
    for (int i = 0; i < g.nodes.size(); ++i) {
      operands.clear();
      for (int k = 0; k < g.nodes[i].arity; ++k) operands.push(moved_[g.in(i, k)]);
      moved_[i] = b.add(g.nodes[i], operands.data(), operands.size());
      for (int k = bucket_behind_[i]; k >= 0; k = buckets_[k].next) start(buckets_[k], k);
    }
    for (const Bucket& bucket : buckets_) finish(bucket);
    for (int x : g.inputs) b.graph.inputs.push(x < 0 ? -1 : moved_[x]);
    for (int x : g.outputs) b.graph.outputs.push(moved_[x]);
    for (const ir::Assign& a : g.assigns) b.graph.assigns.push({a.slot, moved_[a.node]});
    return static_cast<ir::Graph&&>(b.graph);
  }
  constexpr const List<int>& reduced() const { return reduced_; }
  // Requests that the sums take, from 0.
  constexpr int requests() const { return buckets_.size(); }

 private:
  struct Bucket {
    int begin = 0, end = 0;  // of gradients_
    int next = -1;           // another that the same node completes
    int start = -1;          // the node that begins its sum
  };

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
      elements += g.dims(gradients_[k].node).size();
      const bool is_full = into_ >= 0 && end - k == ir::most_scattered;
      if (elements < bucket_elements && k > 0 && !is_full && (into_ >= 0 || !behind_hole(k))) continue;
      int last = 0;
      for (int i = k; i < end; ++i)
        if (last < gradients_[i].node) last = gradients_[i].node;
      buckets_.push({k, end, bucket_behind_[last], -1});
      bucket_behind_[last] = buckets_.size() - 1;
      end = k;
      elements = 0;
    }
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
    if (reduced_.empty()) reduced_ = List<int>(gradients_.size(), -1);
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
  List<int> moved_, bucket_behind_, reduced_;
};

}  // namespace WEFT_NAMESPACE::transforms
