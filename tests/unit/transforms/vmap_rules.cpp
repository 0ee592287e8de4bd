#include "weft/transforms/vmap_rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "support/random_graph.hpp"
#include "weft/ir/print.hpp"
#include "weft/ir/verify.hpp"

using namespace weft;
using namespace weft::testing;
using ir::Op;

namespace {

constexpr i64 samples = 3;

// A graph for one sample, the values of its inputs for each, and which of these are mapped.
struct Trial {
  ir::Graph graph;
  Leaves leaves[samples];
  std::vector<bool> mapped;
};

// The same graph for all samples, and its inputs.
ir::Graph batched(const Trial& t, Leaves& all, std::vector<bool>& mapped) {
  ir::Builder b;
  b.graph.scalar_count = t.graph.scalar_count;
  b.graph.streams = t.graph.streams;
  List<transforms::VmapItem> inputs;
  all = t.leaves[0];
  for (std::size_t k = 0; k < t.leaves[0].inputs.size(); ++k) {
    const int x = t.graph.inputs[static_cast<int>(k)];
    const Dims d = t.mapped[k] ? ir::stacked_dims(samples, t.graph.dims(x)) : t.graph.dims(x);
    inputs.push({{&b, b.leaf(Op::input, t.graph.nodes[x].dtype, d, k)}, t.mapped[k]});
    b.graph.inputs.push(inputs.back().value.id);
    if (!t.mapped[k]) continue;
    all.inputs[k].clear();
    for (const Leaves& one : t.leaves)
      all.inputs[k].insert(all.inputs[k].end(), one.inputs[k].begin(), one.inputs[k].end());
  }
  mapped.clear();
  for (const transforms::VmapItem& x : transforms::Vmapper(b, t.graph, samples).run(inputs)) {
    b.graph.outputs.push(x.value.id);
    mapped.push_back(x.mapped);
  }
  return b.graph;
}

// "" where every result is the stack of the samples' results, to the last bit.
std::string difference(const Trial& t) {
  Leaves all;
  std::vector<bool> mapped;
  const ir::Graph graph = batched(t, all, mapped);
  if (const ir::Fault fault = ir::verify(graph)) return to_text(fault, graph) + "\n" + ir::print(graph);
  const std::vector<Array> got = interpret(graph, all);
  for (i64 s = 0; s < samples; ++s) {
    const std::vector<Array> one = interpret(t.graph, t.leaves[s]);
    for (std::size_t k = 0; k < one.size(); ++k) {
      if (got[k].size() != one[k].size() * (mapped[k] ? samples : 1)) return "a result has another size";
      const std::size_t from = mapped[k] ? static_cast<std::size_t>(s) * one[k].size() : 0;
      for (std::size_t i = 0; i < one[k].size(); ++i) {
        const double x = got[k][from + i], y = one[k][i];
        if (x != y && (x == x || y == y))
          return "result " + std::to_string(k) + ", sample " + std::to_string(s) + ", element " +
                 std::to_string(i) + ": " + std::to_string(x) + " and not " + std::to_string(y) + "\n" +
                 ir::print(t.graph);
      }
    }
  }
  return "";
}

// The primitives of g that an input which is mapped reaches.
void reached(const Trial& t, std::set<Op>& ops) {
  std::vector<bool> by(static_cast<std::size_t>(t.graph.nodes.size()), false);
  for (int i = 0; i < t.graph.nodes.size(); ++i) {
    const ir::Node& n = t.graph.nodes[i];
    if (n.op == Op::input) by[static_cast<std::size_t>(i)] = t.mapped[static_cast<std::size_t>(n.imm)];
    for (int k = 0; k < n.arity; ++k)
      if (by[static_cast<std::size_t>(t.graph.in(i, k))]) {
        by[static_cast<std::size_t>(i)] = true;
        ops.insert(n.op);
      }
  }
}

bool draws(const ir::Graph& g) {
  for (int i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].op == Op::random || (g.nodes[i].op == Op::loop && draws(ir::loop_body(g, i)))) return true;
  return false;
}

int failures(u32 first, u32 count, RandomGraphOptions options, std::set<Op>& ops) {
  int failed = 0;
  for (u32 seed = first; seed < first + count && failed < 3; ++seed) {
    const RandomGraph random(seed, options);
    if (draws(random.graph())) continue;  // every sample draws for itself
    Trial t;
    t.graph = random.graph();
    std::mt19937 shuffle(seed + 77);
    for (std::size_t k = 0; k < random.leaves.inputs.size(); ++k) t.mapped.push_back(shuffle() % 3 != 0);
    for (Leaves& leaves : t.leaves) {
      leaves = random.leaves;
      for (std::size_t k = 0; k < leaves.inputs.size(); ++k)
        if (t.mapped[k]) std::shuffle(leaves.inputs[k].begin(), leaves.inputs[k].end(), shuffle);
    }
    reached(t, ops);
    const std::string wrong = difference(t);
    if (wrong.empty()) continue;
    ++failed;
    FAIL_CHECK("seed ", seed, ": ", wrong);
  }
  return failed;
}

}  // namespace

TEST_CASE("vmap_rules: random graphs for all samples at once give the stacks of each sample's results") {
  std::set<Op> ops;
  CHECK(failures(1, 1200, {}, ops) == 0);
  CHECK(failures(1, 400, {.steps = 24, .size = 100, .products = 12}, ops) == 0);
  CHECK(failures(1, 600, {.size = 120, .convolutions = true}, ops) == 0);
  CHECK(failures(1, 600, {.loops = 2}, ops) == 0);
  CHECK(failures(1, 600, {.loops = 1, .blocks = true}, ops) == 0);
  // of every class of primitives with a rule
  for (const Op op : {Op::neg,
                      Op::add,
                      Op::select,
                      Op::cast,
                      Op::stop_gradient,
                      Op::broadcast,
                      Op::reshape,
                      Op::permute,
                      Op::slice,
                      Op::pad,
                      Op::reduce_sum,
                      Op::reduce_max,
                      Op::reduce_prod,
                      Op::argmax,
                      Op::argmin,
                      Op::dot,
                      Op::conv,
                      Op::take_rows,
                      Op::scatter_add,
                      Op::scan,
                      Op::argsort,
                      Op::take_along_axis,
                      Op::scatter_reduce,
                      Op::searchsorted,
                      Op::dynamic_slice,
                      Op::dynamic_update_slice,
                      Op::loop,
                      Op::result}) {
    INFO(ir::info(op).name);
    CHECK(ops.count(op) == 1);
  }
}

TEST_CASE(
    "vmap_rules: every primitive that is no leaf, no arena's and no collective of all ranks has a rule") {
  for (int k = 0; k < ir::op_count; ++k) {
    const Op op = static_cast<Op>(k);
    const ir::OpClass kind = ir::info(op).kind;
    const bool own = kind == ir::OpClass::leaf || kind == ir::OpClass::arena ||
                     (kind == ir::OpClass::collective && op != Op::group_collective) ||
                     kind == ir::OpClass::region;
    INFO(ir::info(op).name);
    CHECK((transforms::vmapping::rule(op) != nullptr) != own);
  }
}

TEST_CASE("vmap_rules: an index outside its sample's table stays outside") {
  for (int which = 1; which < 8; ++which) {
    Trial t;
    ir::Builder b;
    b.graph.scalar_count = 4;
    const auto input = [&](DType dtype, Dims d) {
      const int node = b.leaf(Op::input, dtype, d, static_cast<u64>(b.graph.inputs.size()));
      b.graph.inputs.push(node);
      return ir::Value{&b, node};
    };
    const i64 table[]{2, 3}, places[]{4}, rows[]{4, 3};
    const ir::Value x = input(DType::f32, ir::make_dims(2, table)),
                    i = input(DType::i32, ir::make_dims(1, places)),
                    u = input(DType::f32, ir::make_dims(2, rows));
    const ir::Value gathered = ir::take_rows(x, i), added = ir::scatter_add(i, u, 2);
    b.graph.outputs.push(gathered.id);
    b.graph.outputs.push(added.id);
    t.graph = b.graph;
    for (int k = 0; k < 3; ++k) t.mapped.push_back((which >> k & 1) != 0);
    for (int s = 0; s < 3; ++s) {
      Array values(6), update(12);
      for (std::size_t k = 0; k < 6; ++k) values[k] = static_cast<double>(k) + (t.mapped[0] ? 10 * s : 0);
      for (std::size_t k = 0; k < 12; ++k) update[k] = static_cast<double>(k) + (t.mapped[2] ? 20 * s : 0);
      Array at{1, -1, 0, 2};
      if (t.mapped[1] && s == 1) at = {2, 1, -2, 1};
      t.leaves[s].inputs = {values, at, update};
    }
    INFO(which);
    CHECK(difference(t) == "");
  }
}

TEST_CASE("vmap_rules: a table that all samples read is not copied for each of them") {
  constexpr i64 count = 97;
  const i64 line[]{50}, plane[]{50, 3}, one[]{1}, row[]{1, 3};
  for (const bool flat : {true, false}) {
    const Dims table = flat ? ir::make_dims(1, line) : ir::make_dims(2, plane),
               places = flat ? ir::make_dims(1, one) : ir::make_dims(2, row);
    ir::Builder sample;
    const auto input = [](ir::Builder& b, DType dtype, const Dims& d) {
      const int node = b.leaf(Op::input, dtype, d, static_cast<u64>(b.graph.inputs.size()));
      b.graph.inputs.push(node);
      return ir::Value{&b, node};
    };
    const ir::Value x = input(sample, DType::f32, table), i = input(sample, DType::i32, places);
    sample.graph.outputs.push(ir::take_along_axis(x, i, 0).id);
    ir::Builder all;
    List<transforms::VmapItem> inputs;
    inputs.push({input(all, DType::f32, table), false});
    inputs.push({input(all, DType::i32, ir::stacked_dims(count, places)), true});
    const List<transforms::VmapItem> y = transforms::Vmapper(all, sample.graph, count).run(inputs);
    CHECK(y[0].value.dims() == ir::stacked_dims(count, places));
    for (int k = 0; k < all.graph.nodes.size(); ++k) CHECK(all.graph.dims(k).size() <= count * places.size());
  }
}
