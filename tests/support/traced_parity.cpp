#include "support/traced_parity.hpp"

#include "weft/transforms/differentiate.hpp"

namespace weft::testing::detail {

// Element i of the weights of result n; traced.py has the same.
static double parity_weight(i64 n, i64 i) { return 0.5 + static_cast<double>((7 * i + 3 * n) % 11) / 11; }

// sum(v * weights), in v's dtype.
static ir::Value parity_loss(ir::Builder& b, ir::Value v, i64 number, std::vector<Array>& inputs) {
  const Dims d = v.dims();
  const ir::Value weights{&b, b.leaf(ir::Op::input, v.dtype(), d, static_cast<u64>(inputs.size()))};
  b.graph.inputs.push(weights.id);
  Array w;
  for (i64 k = 0; k < d.size(); ++k) w.push_back(rounded(v.dtype(), parity_weight(number, k)));
  inputs.push_back(w);
  return ir::reshape(ir::reduce(ir::Op::reduce_sum, v * weights, ir::all_axes(d.rank)), Dims{});
}

// Gradients of the sum over k of sum(of[k] * weights) by `wrt`; zero where none flows.
static std::vector<ir::Value> parity_gradients(ir::Builder& b, const std::vector<ir::Value>& of, i64 number,
                                               const List<int>& wrt, std::vector<Array>& inputs) {
  List<int> losses, seeds;
  for (const ir::Value& v : of) {
    if (!is_float(v.dtype())) {
      ++number;
      continue;
    }
    const ir::Value loss = parity_loss(b, v, number++, inputs);
    losses.push(loss.id);
    seeds.push(ir::constant_like(loss, 1).id);
  }
  const List<ir::Value> found = transforms::differentiate(b, losses, seeds, wrt);
  std::vector<ir::Value> r;
  for (int k = 0; k < wrt.size(); ++k)
    r.push_back(found[k] ? found[k] : ir::constant_like(ir::Value{&b, wrt[k]}, 0));
  return r;
}

static void compare_values(const std::string& what, const Reference& r, const Array& got, DType t,
                           const Dims& d) {
  INFO(what, " ", r.name);
  CHECK(std::string(name_of(t)) == r.dtype);
  CHECK(shape_text(d) == r.shape);
  REQUIRE(got.size() == r.values.size());
  const double absolute = t == DType::f64 ? 1e-7 : is_float(t) ? 1e-5 : 0;
  const double relative = t == DType::f64 ? 1e-7 : is_float(t) ? 1.3e-6 : 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    const double x = got[k], y = r.values[k];
    const bool same = x == y || (x != x && y != y) || std::fabs(x - y) <= absolute + relative * std::fabs(y);
    if (!same) FAIL_CHECK("element ", k, ": ", x, ", PyTorch says ", y);
  }
}

Traced::Traced() { b.graph.scalar_count = 4; }

ir::Value Traced::input(const Reference& r, DType t, const Dims& d) {
  CHECK(r.shape == shape_text(d));
  const int node = b.leaf(ir::Op::input, t, d, static_cast<u64>(leaves.inputs.size()));
  leaves.inputs.push_back(r.values);
  b.graph.inputs.push(node);
  if (is_float(t)) floating.push(node);
  return {&b, node};
}

void Traced::check(const std::string& name, const ReferenceGroup& group, std::vector<ir::Value> of,
                   int orders) {
  std::vector<ir::Value> all = of;
  for (int order = 1; order <= orders; ++order) {
    of = parity_gradients(b, of, order == 1 ? 0 : 100, floating, leaves.inputs);
    all.insert(all.end(), of.begin(), of.end());
  }
  for (const ir::Value& v : all) b.graph.outputs.push(v.id);
  REQUIRE(group.outputs.size() == all.size());

  const std::vector<Array> plain = interpret(b.graph, leaves);
  const LoweredValues lowered = interpret_lowered(b.graph, leaves);
  for (std::size_t k = 0; k < all.size(); ++k) {
    compare_values(name, group.outputs[k], plain[k], all[k].dtype(), all[k].dims());
    compare_values(name + ", lowered,", group.outputs[k], lowered.outputs[k], all[k].dtype(), all[k].dims());
  }
}

}  // namespace weft::testing::detail
