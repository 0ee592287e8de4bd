#include "support/gradcheck.hpp"

#include <limits>

#include "weft/transforms/differentiate.hpp"
#include "weft/transforms/prune.hpp"

namespace weft::testing::detail {

static double relative(double a, double b) {
  const double scale = std::fmax(1, std::fmax(std::fabs(a), std::fabs(b)));
  const double d = std::fabs(a - b) / scale;
  return d == d ? d : std::numeric_limits<double>::infinity();
}

GradCheck gradcheck_traced(ir::Builder& b, const ir::Value& loss, int points, Leaves& leaves) {
  constexpr double step = 1.0 / 1024;
  GradCheck result;
  List<int> wrt;
  for (int k = 0; k < points; ++k) wrt.push(b.graph.inputs[k]);

  const int forward = loss.id + 1;
  List<u8> depends(forward, 0);
  for (int x : wrt) depends[x] = 1;
  for (int i = 0; i < forward; ++i) {
    const ir::Node& node = b.graph.nodes[i];
    if (!transforms::gradient_rule(node.op) && node.op != ir::Op::loop && node.op != ir::Op::result) continue;
    for (int k = 0; k < node.arity; ++k)
      if (depends[b.graph.in(i, k)])
        depends[i] = 1,
        result.ops[static_cast<int>(node.op) / 64] |= u64{1} << (static_cast<int>(node.op) % 64);
  }

  ir::Graph values = b.graph;
  values.outputs.push(loss.id);
  const List<ir::Value> gradients = transforms::differentiate(loss, ir::constant_like(loss, 1), wrt);
  result.reached = true;
  for (const ir::Value& g : gradients) {
    if (g) b.graph.outputs.push(g.id);
    result.reached = result.reached && static_cast<bool>(g);
  }
  if (!result.reached) return result;
  const std::vector<Array> plain = interpret(b.graph, leaves);

  const ir::Graph forwards = transforms::prune(values);
  const LoweredValues lowered = interpret_lowered(b.graph, leaves);
  result.launches = lowered.launches;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const Array& got = lowered.outputs[i];
    for (std::size_t k = 0; k < got.size(); ++k)
      result.lowered = std::fmax(result.lowered, relative(got[k], plain[i][k]));
  }
  for (std::size_t i = 0; i < plain.size(); ++i) {
    for (std::size_t k = 0; k < plain[i].size(); ++k) {
      double& x = leaves.inputs[i][k];
      const double at = x;
      const auto value = [&](double moved) {
        x = at + moved;
        const double v = interpret(forwards, leaves)[0][0];
        x = at;
        return v;
      };
      const double slope =
          (8 * (value(step) - value(-step)) - (value(2 * step) - value(-2 * step))) / (12 * step);
      result.error = std::fmax(result.error, relative(plain[i][k], slope));
    }
  }
  return result;
}

}  // namespace weft::testing::detail
