#include "weft/transforms/gather_parameters.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "weft/ir/verify.hpp"

using namespace weft;
using ir::Op;
using transforms::ArenaParameter;

namespace {

constexpr i64 length = 64;

// Parameters of 64 elements in an arena, read in this order; each read is added to what was before.
struct Reads {
  ir::Builder b{64};
  List<ArenaParameter> parameters;
  ir::Value sum;

  explicit Reads(int count) {
    b.graph.model_bytes = 4 * length * (count + 1);
    b.graph.optimizer_bytes = 4 * length;
    for (int k = 0; k < count; ++k) {
      b.graph.slots.push({ir::Space::model, DType::f32, b.shape(Dims{1, {length}}), -1, 4 * length * k});
      parameters.push({length * k, k});
    }
    const int x = b.leaf(Op::input, DType::f32, Dims{1, {length}}, 0);
    b.graph.inputs.push(x);
    sum = {&b, x};
  }
  void read(int k) { sum = ir::unary(Op::exp, sum + ir::read_slot(b, k)); }
  void read_narrow(int k) {
    sum = ir::unary(Op::exp, sum + ir::cast(ir::cast(ir::read_slot(b, k), DType::bf16), DType::f32));
  }
  ir::Graph gathered(DType dtype = DType::f32) {
    b.graph.outputs.push(sum.id);
    return transforms::ParameterGatherer(b.graph, parameters, {length * parameters.size(), 64}, dtype, 5)
        .run();
  }
};
std::vector<int> nodes_of(const ir::Graph& g, Op op) {
  std::vector<int> found;
  for (int i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].op == op) found.push_back(i);
  return found;
}
// Which parameter each gathering begins with, in order.
std::vector<int> gathered_ones(const ir::Graph& g) {
  std::vector<int> found;
  for (const int start : nodes_of(g, Op::all_gather_state_start))
    found.push_back(
        static_cast<int>(g.slots[static_cast<int>(g.nodes[g.in(start, 0)].imm)].offset / 4 / length));
  return found;
}
using Numbers = std::vector<int>;

}  // namespace

TEST_CASE("gather_parameters: each is on its way while the one before is computed with") {
  Reads reads(4);
  for (int k = 0; k < 4; ++k) reads.read(k);
  const ir::Graph g = reads.gathered();
  CHECK(!ir::verify(g, ir::Stage::traced));
  CHECK(gathered_ones(g) == Numbers{0, 1, 2, 3});
  const std::vector<int> starts = nodes_of(g, Op::all_gather_state_start),
                         dones = nodes_of(g, Op::all_gather_done), work = nodes_of(g, Op::exp);
  REQUIRE(dones.size() == 4);
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(g.nodes[starts[k]].imm == 5 + k);
    CHECK(dones[k] < work[k]);
    if (k == 0) continue;
    CHECK(starts[k] < work[k - 1]);
    CHECK(starts[k] > dones[k - 1]);  // no further ahead
  }
  for (const int state : nodes_of(g, Op::state)) {  // nothing else reads it
    int readers = 0;
    for (int i = 0; i < g.nodes.size(); ++i)
      for (int k = 0; k < g.nodes[i].arity; ++k)
        if (g.in(i, k) == state) readers += g.nodes[i].op == Op::all_gather_state_start ? 1 : 100;
    CHECK(readers == 1);
  }
}

TEST_CASE("gather_parameters: the two that were read last are not gathered anew, others are") {
  Reads reads(4);
  for (const int k : {0, 1, 2, 3, 3, 2, 1, 0}) reads.read(k);
  CHECK(gathered_ones(reads.gathered()) == Numbers{0, 1, 2, 3, 1, 0});
  Reads turns(3);
  for (const int k : {0, 1, 0, 1, 2, 1, 0}) turns.read(k);
  CHECK(gathered_ones(turns.gathered()) == Numbers{0, 1, 2, 0});
}

TEST_CASE("gather_parameters: a view is made anew where it is read again") {
  Reads reads(4);
  ir::Builder& b = reads.b;
  const ir::Value view = ir::reshape(ir::read_slot(b, 0), Dims{2, {8, 8}});
  const auto read_view = [&] {
    reads.sum =
        ir::unary(Op::exp, ir::reshape(ir::reshape(reads.sum, Dims{2, {8, 8}}) + view, Dims{1, {length}}));
  };
  read_view();
  for (const int k : {1, 2, 3}) reads.read(k);
  read_view();
  const ir::Graph g = reads.gathered();
  CHECK(!ir::verify(g, ir::Stage::traced));
  CHECK(gathered_ones(g) == Numbers{0, 1, 2, 3, 0});
}

TEST_CASE("gather_parameters: a unit comes as one, of its parameters those that are read") {
  Reads reads(200);
  for (int k = 0; k < 200; ++k) reads.parameters[k].unit = k / 100;
  for (const int k : {0, 1, 4, 100, 199}) reads.read(k);
  const ir::Graph g = reads.gathered();
  CHECK(!ir::verify(g, ir::Stage::traced));
  CHECK(gathered_ones(g) == Numbers{0, 100, 199});  // what is small between them comes along
  const std::vector<int> starts = nodes_of(g, Op::all_gather_state_start);
  CHECK(g.dims(starts[0]).size() == 5 * length);
  CHECK(g.dims(starts[1]).size() == length);
}

TEST_CASE("gather_parameters: what is read as bf16 comes as that") {
  Reads reads(2);
  reads.read_narrow(0);
  reads.read(0);
  reads.read_narrow(1);
  const ir::Graph g = reads.gathered();
  CHECK(!ir::verify(g, ir::Stage::traced));
  const std::vector<int> starts = nodes_of(g, Op::all_gather_state_start);
  REQUIRE(starts.size() == 3);
  CHECK(g.nodes[starts[0]].dtype == DType::f32);
  CHECK(g.nodes[starts[1]].dtype == DType::bf16);
  CHECK(g.nodes[starts[2]].dtype == DType::bf16);
}

TEST_CASE("gather_parameters: state that is not shared, and what is updated, stay") {
  Reads reads(2);
  ir::Builder& b = reads.b;
  b.graph.slots.push({ir::Space::model, DType::f32, b.shape(Dims{1, {length}}), -1, 4 * length * 2});
  b.graph.slots.push({ir::Space::optimizer, DType::f32, b.shape(Dims{1, {length}}), -1, 0});
  b.graph.ranges.push({0, 2 * length});
  b.graph.param_groups.push({0, 1});
  b.graph.slots.push({ir::Space::model, DType::f32, b.shape(Dims{1, {2 * length}}), 0, 0});
  reads.read(0);
  reads.read(2);  // behind the arena
  reads.read(3);
  const ir::Value updated = ir::read_slot(b, 4) * 0.5;
  b.graph.assigns.push({4, updated.id});
  const ir::Graph g = reads.gathered();
  CHECK(!ir::verify(g, ir::Stage::traced));
  CHECK(gathered_ones(g) == Numbers{0});
  CHECK(g.assigns.size() == 1);
  CHECK(g.nodes[g.in(g.assigns[0].node, 0)].op == Op::state);
}

TEST_CASE("gather_parameters: results and assigned values that are parameters are gathered") {
  Reads reads(2);
  ir::Builder& b = reads.b;
  b.graph.slots.push({ir::Space::model, DType::f32, b.shape(Dims{1, {length}}), -1, 4 * length * 2});
  b.graph.outputs.push(ir::read_slot(b, 1).id);
  b.graph.assigns.push({2, ir::read_slot(b, 0).id});
  const ir::Graph g = reads.gathered();
  CHECK(!ir::verify(g, ir::Stage::traced));
  CHECK(nodes_of(g, Op::all_gather_done).size() == 2);
  CHECK(g.nodes[g.outputs[0]].op != Op::state);
  CHECK(g.nodes[g.assigns[0].node].op != Op::state);
}

namespace {

// A loop of three trips over a stack of parameters, beside one of other values, in random order of use.
ir::Graph looped(bool reverse) {
  ir::Builder b(64);
  const Dims stack{2, {3, length}}, row{1, {length}};
  b.graph.model_bytes = 4 * 3 * length;
  b.graph.slots.push({ir::Space::model, DType::f32, b.shape(stack), -1, 0});
  ir::Builder body(16);
  body.graph.is_body = true;
  for (int k = 0; k < 4; ++k)
    body.graph.inputs.push(body.leaf(Op::input, DType::f32, row, static_cast<u64>(k)));
  const auto in = [&](int k) { return ir::Value{&body, body.graph.inputs[k]}; };
  const ir::Value sum = ir::unary(Op::exp, in(0) + in(1)) * in(2) + in(3);
  body.graph.outputs.push(sum.id);
  body.graph.outputs.push((sum + in(1)).id);
  const int x = b.leaf(Op::input, DType::f32, row, 0), xs = b.leaf(Op::input, DType::f32, stack, 1);
  b.graph.inputs.push(x);
  b.graph.inputs.push(xs);
  ir::LoopShape shape;
  shape.trips = 3;
  shape.reverse = reverse;
  shape.carries = shape.invariants = shape.outputs = 1;
  shape.stacked = 2;
  List<int> operands(1, x);
  operands.push(ir::read_slot(b, 0).id);
  operands.push(xs);
  operands.push(x);
  const ir::Value loop = ir::loop(b, shape, body.graph, operands);
  b.graph.outputs.push(ir::loop_final(loop, shape, 0).id);
  b.graph.outputs.push(ir::loop_history(loop, shape, 0).id);
  b.graph.outputs.push(ir::loop_result(loop, shape.output(0), DType::f32, stack).id);
  return static_cast<ir::Graph&&>(b.graph);
}

}  // namespace

TEST_CASE("gather_parameters: a loop's trips gather the slices of the next one") {
  for (const bool reverse : {false, true}) {
    const List<ArenaParameter> parameters(1, ArenaParameter{0, 0});
    const ir::Graph g =
        transforms::ParameterGatherer(looped(reverse), parameters, {3 * length, 64}, DType::f32, 0).run();
    REQUIRE(!ir::verify(g, ir::Stage::traced));
    const std::vector<int> loops = nodes_of(g, Op::loop), first = nodes_of(g, Op::all_gather_state_start);
    REQUIRE(loops.size() == 1);
    const ir::LoopShape shape = ir::loop_shape(g, loops[0]);
    CHECK(shape.carries == 2);
    CHECK(shape.stacked == 2);
    CHECK(shape.ahead == 1);
    // the first trip's is on its way when the loop begins
    REQUIRE(first.size() == 1);
    CHECK(g.in(loops[0], 1) == first[0]);
    const ir::Node& slice = g.nodes[g.in(first[0], 0)];
    CHECK(g.slots[static_cast<int>(slice.imm)].offset == (reverse ? 4 * 2 * length : 0));

    const ir::Graph inside = ir::loop_body(g, loops[0]);
    const std::vector<int> starts = nodes_of(inside, Op::all_gather_state_start),
                           waits = nodes_of(inside, Op::collective_await);
    REQUIRE((starts.size() == 1 && waits.size() == 1));
    CHECK(inside.in(waits[0], 0) == inside.inputs[1]);
    CHECK(inside.outputs[1] == starts[0]);
    // behind the wait, of the slice that is ahead
    const int ahead = inside.in(starts[0], 0);
    CHECK(inside.nodes[ahead].op == Op::add_dependency);
    CHECK(inside.in(ahead, 0) == inside.inputs[3]);
    CHECK(inside.in(ahead, 1) == waits[0]);
    for (const int node : {first[0], waits[0]})
      CHECK((node == first[0] ? g : inside).nodes[node].imm == inside.nodes[starts[0]].imm);
    // the results are what they were, behind a carry more
    for (int k = 0; k < 3; ++k)
      CHECK(g.nodes[g.outputs[k]].imm == static_cast<u64>(k == 0   ? shape.final_of(0)
                                                          : k == 1 ? shape.history_of(0)
                                                                   : shape.output(0)));
  }
}

TEST_CASE("gather_parameters: what a trip has of the next one is begun to be gathered, and not read") {
  const List<ArenaParameter> parameters(1, ArenaParameter{0, 0});
  ir::Graph g =
      transforms::ParameterGatherer(looped(false), parameters, {3 * length, 64}, DType::f32, 0).run();
  const int loop = nodes_of(g, Op::loop)[0];
  ir::Graph body = ir::loop_body(g, loop);
  body.outputs[2] = body.inputs[3];
  g.nodes[loop].imm = static_cast<u64>(ir::add_body(g, body));
  CHECK(std::string(ir::verify(g, ir::Stage::traced).what) == "loop: its next trip's inputs are read");
}
