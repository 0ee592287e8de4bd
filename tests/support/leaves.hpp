#pragma once
// What a graph reads, as the evaluators of the tests take it: every value a double. The evaluators are
// compiled once (leaves.cpp), so that a file that only asks for values compiles neither them nor the passes.

#include <vector>

#include "weft/ir/graph.hpp"

namespace weft::testing {

using Array = std::vector<double>;

struct Leaves {
  std::vector<Array> inputs;  // by number
  std::vector<Array> slots;   // by slot
  Array scalars;              // by index into the scalars block, in words of 4 bytes
  u64 seed = 0, step = 0;
};

// What dtype `t` makes of x.
double rounded(DType t, double x);

// The values of a graph's outputs, evaluated plainly (interpret_graph.hpp); attention is composed first.
std::vector<Array> interpret(const ir::Graph& graph, const Leaves& leaves);

// The same through fusion, memory plan and lowering (interpret_lowered.hpp), every pass verified.
struct LoweredValues {
  std::vector<Array> outputs;
  int launches = 0;
};
LoweredValues interpret_lowered(const ir::Graph& graph, const Leaves& leaves);

}  // namespace weft::testing
