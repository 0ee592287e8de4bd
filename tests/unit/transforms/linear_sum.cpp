#include "weft/transforms/linear_sum.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "support/interpret_graph.hpp"
#include "weft/exec/explain.hpp"
#include "weft/ir/print.hpp"
#include "weft/nn/norm.hpp"
#include "weft/ops/math/pointwise.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace weft;
using namespace weft::testing;
using ir::Op;
using ir::Value;

namespace {

constexpr Dims picture{4, {3, 5, 2, 4}};
constexpr ir::Axes all_but_channels = 0b1101;

struct Traced {
  ir::Builder b;
  Leaves leaves;
  Value input(Dims d, DType t = DType::f64) {
    const int node = b.leaf(Op::input, t, d, static_cast<u64>(b.graph.inputs.size()));
    b.graph.inputs.push(node);
    std::mt19937 engine(static_cast<u32>(node) + 1);
    std::uniform_real_distribution<double> draw(-2, 2);
    Array values(static_cast<std::size_t>(d.size()));
    for (double& x : values) x = draw(engine);
    leaves.inputs.push_back(values);
    return {&b, node};
  }
  Value channels(DType t = DType::f64) { return ir::broadcast(input(Dims{3, {5, 1, 1}}, t), picture); }
  Value mean(Value x) { return ir::reduce(Op::reduce_sum, x, all_but_channels) * (1.0 / 24); }
  Value centred(Value x) { return x - mean(x); }

  // Whether the sum over all but the channels is what its definition gives.
  bool agrees(Value x) {
    const Value plain = ir::reduce(Op::reduce_sum, x, all_but_channels),
                linear = transforms::linear_sum(x, all_but_channels);
    b.graph.outputs = List<int>();
    b.graph.outputs.push(plain.id);
    b.graph.outputs.push(linear.id);
    const std::vector<Array> got = interpret(b.graph, leaves);
    bool same = plain.dims() == linear.dims();
    for (std::size_t i = 0; i < got[0].size(); ++i) same = same && std::abs(got[0][i] - got[1][i]) < 1e-12;
    return same;
  }
};

// What is left to be summed, after what came out.
Value summed(Value v) {
  while (v.op() != Op::reduce_sum && v.op() != Op::constant) v = v.in(v.op() == Op::mul ? 1 : 0);
  while (v.op() == Op::reduce_sum) v = v.in(0);
  return v;
}

}  // namespace

TEST_CASE("linear sum: factors that are the same for all that is summed come out") {
  Traced t;
  const Value x = t.input(picture), g = t.input(picture), w = t.channels(), r = t.channels();
  CHECK(t.agrees(x * w));
  CHECK(t.agrees(-(x * w)));
  CHECK(t.agrees((g * w) * (x * r)));
  const Value one = transforms::linear_sum(g * (x * r), all_but_channels),
              other = transforms::linear_sum((g * w) * x, all_but_channels);
  CHECK(summed(one).id == summed(other).id);
  // a factor that changes along one of the axes stays
  const Value row = ir::broadcast(t.input(Dims{1, {4}}), picture);
  CHECK(t.agrees(x * row));
  CHECK(transforms::linear_sum(x * row, all_but_channels).op() == Op::reduce_sum);
}

TEST_CASE("linear sum: what has lost its mean adds nothing") {
  Traced t;
  const Value x = t.input(picture), g = t.input(picture), w = t.channels(), c = t.centred(x);
  CHECK(t.agrees(c));
  CHECK(transforms::linear_sum(c, all_but_channels).is(0));
  CHECK(transforms::linear_sum(-((c * w) + (c * w)), all_but_channels).is(0));
  CHECK(t.agrees(g * w + c * w));
  CHECK(summed(transforms::linear_sum(g * w + c * w, all_but_channels)).id == g.id);
  CHECK(t.agrees(c * w - g));
  CHECK(t.agrees(g - c * w));
  // the mean over other axes, of another value, or by another count is none
  const Value rows = x - ir::reduce(Op::reduce_sum, x, 0b1000u) * 0.25, wrong = x - t.mean(x) * 2.0;
  CHECK(t.agrees(rows * t.input(picture)));
  CHECK_FALSE(transforms::linear_sum(g - t.mean(x), all_but_channels).is(0));
  CHECK_FALSE(transforms::linear_sum(wrong, all_but_channels).is(0));
  CHECK(t.agrees(g - t.mean(x)));
  CHECK(t.agrees(wrong));
}

TEST_CASE("linear sum: small floats are summed as they are written") {
  Traced t;
  const Value x = t.input(picture, DType::f16), w = t.channels(DType::f16);
  const Value sum = transforms::linear_sum(x * w, all_but_channels);
  CHECK(sum.op() == Op::cast);  // from f32, in which the sum was taken
  CHECK(summed(sum).op() == Op::cast);
  CHECK(summed(sum).in(0).op() == Op::mul);
}

TEST_CASE("linear sum: a product of many factors stays whole") {
  Traced t;
  Value product = t.channels();
  for (int k = 0; k < 12; ++k) product = product * t.input(picture);
  CHECK(t.agrees(product));
}

// Sums of x, of its squares without the mean, of g and of g times those: 4 over the picture, 4 over the
// batch; the result; the gradient of x. Without the identities there are two sums more.
TEST_CASE("linear sum: batch normalisation takes four sums, both ways") {
  Traced t;
  const Value x = t.input(picture, DType::f32), g = t.input(picture, DType::f32),
              weight = t.channels(DType::f32), bias = t.channels(DType::f32);
  const Value share = ir::constant_like(ir::reduce(Op::reduce_sum, x, all_but_channels), 1.0 / 24);
  const auto mean = [&](Value v) { return ir::reduce(Op::reduce_sum, v, all_but_channels) * share; };
  const Value c = x - mean(x), y = c * ir::unary(Op::rsqrt, mean(c * c) + 1e-5) * weight + bias;
  List<int> wrt;
  wrt.push(x.id);
  wrt.push(weight.in(0).id);
  wrt.push(bias.in(0).id);
  const auto found = transforms::differentiate(y, g, wrt);
  t.b.graph.outputs.push(y.id);
  for (const Value& v : found) t.b.graph.outputs.push(v.id);
  const ir::Graph graph = transforms::prune(t.b.graph);
  int sums = 0;
  for (int i = 0; i < graph.nodes.size(); ++i) sums += graph.nodes[i].op == Op::reduce_sum;
  CHECK_MESSAGE(sums == 4, ir::print(graph));
}
