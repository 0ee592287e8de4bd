#include "weft/transforms/all_reduce_gradients.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "weft/ir/verify.hpp"

using namespace weft;
using ir::Op;
using transforms::ArenaGradient;

namespace {

// Six gradients of 64 elements, each made from the last, as a backward pass makes them: the last of the
// arena first.
struct Chain {
  ir::Graph graph;
  List<ArenaGradient> gradients;  // in the order of the arena
  explicit Chain() {
    ir::Builder b(64);
    const int x = b.leaf(Op::input, DType::f32, Dims{1, {64}}, 0);
    b.graph.inputs.push(x);
    ir::Value g{&b, x};
    for (int k = 5; k >= 0; --k) {
      g = ir::unary(Op::exp, g);
      gradients.push({g.id, 64 * k, -1});
    }
    for (int k = 0; k < 3; ++k) {
      const ArenaGradient other = gradients[k];
      gradients[k] = gradients[5 - k];
      gradients[5 - k] = other;
    }
    b.graph.outputs.push(ir::unary(Op::neg, g).id);
    graph = static_cast<ir::Graph&&>(b.graph);
  }
};
std::vector<int> nodes_of(const ir::Graph& g, Op op) {
  std::vector<int> found;
  for (int i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].op == op) found.push_back(i);
  return found;
}

}  // namespace

TEST_CASE("all_reduce_gradients: a bucket's sum begins behind the gradient that completes it") {
  const Chain chain;
  transforms::GradientReducer reducer(chain.graph, chain.gradients, 128);  // two a bucket
  ir::Graph g = reducer.run();
  for (const int x : reducer.reduced()) g.outputs.push(x);
  CHECK(!ir::verify(g, ir::Stage::traced));
  const std::vector<int> starts = nodes_of(g, Op::all_reduce_start), dones = nodes_of(g, Op::all_reduce_done);
  REQUIRE(starts.size() == 3);
  REQUIRE(dones.size() == 3);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(g.dims(starts[k]).size() == 128);
    CHECK(g.attribute(starts[k], 0) == 256 - 128 * static_cast<i64>(k));  // from the arena's end
    CHECK(g.nodes[starts[k]].imm == k);
    // behind two more gradients each, and before the next
    int made = 0;
    for (int i = 0; i < starts[k]; ++i) made += g.nodes[i].op == Op::exp ? 1 : 0;
    CHECK(made == 2 * static_cast<int>(k + 1));
    CHECK(dones[k] > starts[2]);
  }
  // each gradient is its place in its bucket's sum
  for (int k = 0; k < 6; ++k) {
    const int x = reducer.reduced()[k];
    CHECK(g.nodes[x].op == Op::flat_slice);
    CHECK(g.nodes[x].imm == static_cast<u64>(64 * (k % 2)));
    CHECK(g.in(x, 0) == dones[static_cast<std::size_t>(2 - k / 2)]);
  }
}

TEST_CASE("all_reduce_gradients: one bucket where it takes all, one a gradient where it takes one") {
  const Chain chain;
  transforms::GradientReducer whole(chain.graph, chain.gradients, 1 << 20);
  CHECK(nodes_of(whole.run(), Op::all_reduce_start).size() == 1);
  transforms::GradientReducer each(chain.graph, chain.gradients, 1);
  CHECK(nodes_of(each.run(), Op::all_reduce_start).size() == 6);
}

TEST_CASE("all_reduce_gradients: what is frozen between two gradients is not communicated") {
  Chain chain;
  for (int k = 3; k < 6; ++k) chain.gradients[k].offset += 1 << 20;
  transforms::GradientReducer reducer(chain.graph, chain.gradients, 1 << 21);
  const ir::Graph g = reducer.run();
  const std::vector<int> starts = nodes_of(g, Op::all_reduce_start);
  REQUIRE(starts.size() == 2);
  for (const int start : starts) CHECK(g.dims(start).size() == 3 * 64);
  // what aligns the next one is
  Chain aligned;
  for (int k = 3; k < 6; ++k) aligned.gradients[k].offset += 63;
  transforms::GradientReducer one(aligned.graph, aligned.gradients, 1 << 21);
  CHECK(nodes_of(one.run(), Op::all_reduce_start).size() == 1);
}

TEST_CASE("all_reduce_gradients: what goes to a slot has no arena, and buckets of few enough operands") {
  Chain chain;
  const auto reduce = [&](i64 bucket) {
    ir::Graph with_slot = chain.graph;
    with_slot.slots.push({ir::Space::optimizer, DType::f32, with_slot.nodes[0].shape, -1, 0});
    with_slot.optimizer_bytes = 256;
    transforms::GradientReducer reducer(with_slot, chain.gradients, bucket, {384, 64}, 0);
    ir::Graph g = reducer.run();
    for (const int x : reducer.reduced()) g.outputs.push(x);
    return g;
  };
  const ir::Graph g = reduce(128);
  CHECK(!ir::verify(g, ir::Stage::traced));
  CHECK(nodes_of(g, Op::flat_concat).empty());
  const std::vector<int> starts = nodes_of(g, Op::reduce_scatter_into_start),
                         dones = nodes_of(g, Op::reduce_scatter_into_done);
  REQUIRE(starts.size() == 3);
  REQUIRE(dones.size() == 3);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(g.nodes[starts[k]].arity == 2);
    CHECK(g.attribute(starts[k], 3) == 256 - 128 * static_cast<i64>(k));
  }
  for (int k = 0; k < 6; ++k)  // behind which the slot has the gradient
    CHECK(g.outputs[1 + k] == dones[static_cast<std::size_t>(2 - k / 2)]);
  // 40 gradients in a bucket that takes all
  chain.gradients.clear();
  for (int k = 0; k < 40; ++k) chain.gradients.push({chain.graph.outputs[0], 64 * k, -1});
  transforms::GradientReducer many(chain.graph, chain.gradients, 1 << 20, {40 * 64, 64}, 0);
  const ir::Graph cut = many.run();
  const std::vector<int> cuts = nodes_of(cut, Op::reduce_scatter_into_start);
  REQUIRE(cuts.size() == 2);
  CHECK(cut.nodes[cuts[0]].arity + cut.nodes[cuts[1]].arity == 40);
  CHECK(std::max(cut.nodes[cuts[0]].arity, cut.nodes[cuts[1]].arity) == ir::most_scattered);
}

TEST_CASE("all_reduce_gradients: slices of a stack are summed in the trip that makes them") {
  constexpr i64 length = 4096, trips = 3;
  ir::Builder b(64), body(16);
  const Dims slice{1, {length}}, stack{2, {trips, length}};
  b.graph.optimizer_bytes = 4 * length * (trips + 1);
  b.graph.slots.push({ir::Space::optimizer, DType::f32, b.shape(Dims{1, {length * (trips + 1)}}), -1, 0});
  body.graph.is_body = true;
  for (int k = 0; k < 2; ++k)
    body.graph.inputs.push(body.leaf(Op::input, DType::f32, slice, static_cast<u64>(k)));
  const ir::Value carried{&body, body.graph.inputs[0]}, shared{&body, body.graph.inputs[1]};
  body.graph.outputs.push((carried + shared).id);
  body.graph.outputs.push(ir::unary(Op::exp, carried).id);  // the gradient of a trip
  body.graph.outputs.push((carried * shared).id);
  List<int> operands;
  for (int k = 0; k < 2; ++k) {
    b.graph.inputs.push(b.leaf(Op::input, DType::f32, slice, static_cast<u64>(k)));
    operands.push(b.graph.inputs[k]);
  }
  ir::LoopShape shape;
  shape.trips = trips;
  shape.reverse = true;
  shape.carries = shape.invariants = 1;
  shape.outputs = 2;
  const ir::Value loop = ir::loop(b, shape, body.graph, operands);
  b.graph.outputs.push(ir::loop_result(loop, shape.output(1), DType::f32, stack).id);
  b.graph.outputs.push(ir::loop_history(loop, shape, 0).id);
  const ir::Value slices = ir::loop_result(loop, shape.output(0), DType::f32, stack);
  const ir::Value other = ir::unary(Op::neg, ir::loop_final(loop, shape, 0));
  b.graph.outputs.push(other.id);
  List<ArenaGradient> gradients;
  gradients.push({slices.id, 0, -1});
  gradients.push({other.id, trips * length, -1});
  for (const bool narrow : {false, true}) {
    transforms::GradientReducer reducer(b.graph, gradients, 1 << 20, {length * (trips + 1), 64}, 0, narrow);
    ir::Graph g = reducer.run();
    for (const int x : reducer.reduced()) g.outputs.push(x);
    const ir::Fault fault = ir::verify(g, ir::Stage::traced);
    CHECK_MESSAGE(!fault, std::string(fault.what != nullptr ? fault.what : ""));
    CHECK(reducer.requests() == 2);
    CHECK(nodes_of(g, Op::reduce_scatter_into_start).size() == 1);  // of the other one
    const std::vector<int> loops = nodes_of(g, Op::loop);
    REQUIRE(loops.size() == 1);
    const ir::LoopShape now = ir::loop_shape(g, loops[0]);
    CHECK(now.carries == 2);
    CHECK(now.stacked == 1);  // where the slices belong
    CHECK(now.outputs == 1);
    CHECK(g.nodes[g.outputs[0]].imm == static_cast<u64>(now.output(0)));
    CHECK(g.nodes[g.outputs[1]].imm == static_cast<u64>(now.history_of(0)));
    const ir::Graph inside = ir::loop_body(g, loops[0]);
    const std::vector<int> starts = nodes_of(inside, Op::reduce_scatter_state_start);
    REQUIRE(starts.size() == 1);
    CHECK(inside.nodes[starts[0]].dtype == (narrow ? DType::bf16 : DType::f32));
    CHECK(inside.outputs[1] == starts[0]);
    CHECK(inside.dims(starts[0]).size() == 1);
    // a trip waits for the sum of the one before when it has its own, and the last one's is waited for behind
    const std::vector<int> waits = nodes_of(inside, Op::collective_await);
    REQUIRE(waits.size() == 1);
    CHECK(inside.in(waits[0], 0) == inside.inputs[1]);
    CHECK(inside.nodes[waits[0]].imm == inside.nodes[starts[0]].imm);
    const int place = inside.in(starts[0], 1);
    CHECK(inside.nodes[place].op == Op::add_dependency);
    CHECK(inside.in(place, 0) == inside.inputs[2]);
    CHECK(inside.in(place, 1) == waits[0]);
    const ir::Node& last = g.nodes[reducer.reduced()[0]];
    CHECK(last.op == Op::collective_await);
    CHECK(last.imm == inside.nodes[starts[0]].imm);
    CHECK(g.nodes[g.in(reducer.reduced()[0], 0)].imm == static_cast<u64>(now.final_of(1)));
  }
  // one that two parameters share comes out of the loop, for both
  gradients[1] = {slices.id, trips * length, -1};
  transforms::GradientReducer shared_one(b.graph, gradients, 1 << 20, {2 * length * trips, 64}, 0);
  const ir::Graph g = shared_one.run();
  CHECK(ir::loop_shape(g, nodes_of(g, Op::loop)[0]).stacked == 0);
  CHECK(nodes_of(g, Op::reduce_scatter_into_start).size() == 1);
}
