#include "weft/ir/draw.hpp"

#include <doctest/doctest.h>

#include "weft/ir/value.hpp"

using namespace weft;
using ir::Op;

namespace {

// One draw, its copies, and how often it was made.
struct Drawing {
  ir::DrawHandle handle;
  int made = 0;

  constexpr int in(ir::Builder& b) {
    return b.drawn(*handle.get(), [&] {
      ++made;
      return b.leaf(Op::random, DType::u32, Dims{1, {8}}, static_cast<u64>(b.innermost().graph.streams++));
    });
  }
};
constexpr bool is_refused(const ir::Graph& g) {
  for (const ir::Node& n : g.nodes)
    if (n.op == Op::state && ir::valueless(n) == ir::Valueless::of_draw) return true;
  return false;
}
struct Seen {
  bool same = false, refused = false;
  int made = 0;
};

constexpr Seen twice_in_one_trace() {
  ir::Builder b;
  Drawing x;
  const ir::DrawHandle copy = x.handle;
  const int first = x.in(b);
  ir::DrawHandle other;
  other = copy;
  x.handle = other;
  return {first == x.in(b), is_refused(b.graph), x.made};
}
constexpr Seen outside_and_then_inside() {
  ir::Builder b;
  Drawing x;
  const int outside = x.in(b);
  bool same = false;
  {
    ir::Builder body;
    body.parent = &b;
    b.inner = &body;
    const int inside = x.in(body);
    same = body.graph.nodes[inside].op == Op::input && body.outer[0] == outside && x.in(b) == outside;
    b.inner = nullptr;
  }
  return {same, is_refused(b.graph), x.made};
}
constexpr Seen inside_alone(bool is_made_outside) {
  ir::Builder b;
  Drawing kept;
  {
    ir::Builder body;
    body.parent = &b;
    b.inner = &body;
    Drawing x;
    if (is_made_outside) x.handle = kept.handle;
    x.in(body);
    kept.made = x.made;
    b.inner = nullptr;
  }
  return {true, is_refused(b.graph), kept.made};
}
// In a body, and then in the trace around it while the body is not at its end.
constexpr Seen inside_and_then_around() {
  ir::Builder b;
  bool same = false;
  {
    ir::Builder body;
    body.parent = &b;
    b.inner = &body;
    Drawing x;
    x.in(body);
    x.in(b);
    same = x.made == 2 && body.graph.streams == 2;
    b.inner = nullptr;
  }
  return {same, is_refused(b.graph), 2};
}

}  // namespace

TEST_CASE("draw: copies stand for what is drawn once") {
  constexpr Seen seen = twice_in_one_trace();
  CHECK(seen.same);
  CHECK_FALSE(seen.refused);
  CHECK(seen.made == 1);
}

TEST_CASE("draw: a body reads what was drawn around it, and draws what it makes itself") {
  constexpr Seen read = outside_and_then_inside();
  CHECK(read.same);
  CHECK_FALSE(read.refused);
  CHECK(read.made == 1);
  constexpr Seen own = inside_alone(false);
  CHECK_FALSE(own.refused);
  CHECK(own.made == 1);
}

TEST_CASE("draw: what a body would draw in every trip for one value is refused") {
  constexpr Seen alone = inside_alone(true), around = inside_and_then_around();
  CHECK(alone.refused);
  CHECK(around.refused);
  CHECK(around.same);
}
