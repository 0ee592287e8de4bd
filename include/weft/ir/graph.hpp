#pragma once
// The graph: flat arrays of nodes in topological order (a node's operands have smaller numbers), shapes and
// attribute lists interned, state named by slots, effects kept apart. Everything is constexpr-friendly.

#include "weft/core/dtype.hpp"
#include "weft/core/list.hpp"
#include "weft/core/shape.hpp"
#include "weft/ir/op.hpp"

namespace WEFT_NAMESPACE::ir {

struct Node {
  Op op{};
  DType dtype{};
  int shape = 0;  // index into Graph::shapes
  int list = -1;  // index into Graph::lists, -1 without attributes
  int first = 0;  // operands are edges[first, first + arity)
  int arity = 0;
  u64 imm = 0;
};

// Where a block of memory lives; a slot or a buffer is a byte range in one of them.
// bound: of a loop's body, what its input or output is in the trip at hand (compiler/lowered.hpp).
enum class Space : u8 { model, optimizer, workspace, input, scalars, output, bound };

// A piece of state. All reads see the value from before the step.
struct Slot {
  Space space{};
  DType dtype{};
  int shape = 0;
  int segments = -1;  // >= 0: a flat view over the ranges of that parameter group
  i64 offset = 0;     // bytes from the start of the block
};

struct Range {
  i64 offset = 0;  // elements
  i64 length = 0;
};

struct Assign {
  int slot = 0;
  int node = 0;
};

// A number that a program's kernels read from memory, so that kernels which differ only in it are one.
struct Preset {
  int scalar = 0;
  f32 value = 0;
};

struct Span {
  int begin = 0;
  int size = 0;
};

// An input that a loss or a metric reads as labels of so many classes (0: not known). A label outside does
// not count; the one to be ignored is meant so, and, where `negatives`, every one below 0.
struct Labels {
  int input = 0;
  bool negatives = false;
  i64 classes = 0;
  i64 ignored = 0;
};

struct Graph {
  List<Node> nodes;
  List<int> edges;
  List<Dims> shapes;
  List<Span> lists;
  List<i64> list_data;
  List<Slot> slots;
  List<Span> param_groups;  // ranges of each parameter group
  List<Range> ranges;
  List<int> inputs;   // node of each input, -1 where it was never used
  List<int> outputs;  // node of each output
  List<Labels> labels;
  List<Assign> assigns;
  i64 model_bytes = 0;
  i64 optimizer_bytes = 0;
  int scalar_count = 0;
  List<Preset> presets;  // run-time scalars with a value known while tracing
  int streams = 0;       // random streams handed out so far
  List<Span> bodies;     // of loops: graphs as words (freeze.hpp), in body_words; equal ones are one
  List<u64> body_words;
  bool biases_placed =
      false;  // sums with a bias stand in the order in which they are to be computed (DeferredBias)
  bool is_body = false;  // a loop's body: inputs and outputs are numbered as in loop.hpp
  int key_input = -1;    // of a body: the input (4 words) that random numbers take in place of seed and step

  constexpr int in(int node, int k) const { return edges.items[nodes.items[node].first + k]; }
  constexpr const Dims& dims(int node) const { return shapes.items[nodes.items[node].shape]; }
  constexpr i64 attribute(int node, int k) const {
    return list_data.items[lists.items[nodes.items[node].list].begin + k];
  }
  constexpr int attributes(int node) const {
    const int list = nodes.items[node].list;
    return list < 0 ? 0 : lists.items[list].size;
  }
};

// Elements of the arena up to the end of a parameter group.
constexpr i64 end_of_group(const Graph& g, int group) {
  i64 end = 0;
  for (int r = 0; r < g.param_groups[group].size; ++r) {
    const Range& range = g.ranges[g.param_groups[group].begin + r];
    if (end < range.offset + range.length) end = range.offset + range.length;
  }
  return end;
}

}  // namespace WEFT_NAMESPACE::ir
