#include "support/leaves.hpp"

#include "support/compile_verified.hpp"
#include "support/interpret_graph.hpp"
#include "support/interpret_lowered.hpp"
#include "weft/transforms/decompose_attention.hpp"

namespace weft::testing {

double rounded(DType t, double x) {
  switch (t) {
    case DType::f32:
      return static_cast<double>(static_cast<float>(x));
    case DType::f16:
      return static_cast<double>(static_cast<float>(f16(static_cast<float>(x))));
    case DType::bf16:
      return static_cast<double>(static_cast<float>(bf16(static_cast<float>(x))));
    case DType::f8e4m3:
      return static_cast<double>(static_cast<float>(f8e4m3(static_cast<float>(x))));
    case DType::f8e5m2:
      return static_cast<double>(static_cast<float>(f8e5m2(static_cast<float>(x))));
    default:
      return x;
  }
}

std::vector<Array> interpret(const ir::Graph& given, const Leaves& leaves) {
  const ir::Graph graph = transforms::decompose_attention(ir::Graph(given));
  const std::vector<Array> values = GraphInterpreter(graph).run(leaves);
  std::vector<Array> outputs;
  for (int node : graph.outputs) outputs.push_back(values[static_cast<std::size_t>(node)]);
  return outputs;
}

LoweredValues interpret_lowered(const ir::Graph& graph, const Leaves& leaves) {
  const compiler::Module m = compile_verified(graph);
  Machine machine(m.graph, m.plan, m.lowered, leaves, 1);
  machine.run();
  LoweredValues r;
  for (int k = 0; k < m.graph.outputs.size(); ++k) r.outputs.push_back(machine.output(k));
  r.launches = m.lowered.steps.size();
  return r;
}

}  // namespace weft::testing
