#include "weft/ir/group.hpp"

#include <doctest/doctest.h>

#include <string>

#include "weft/ir/print.hpp"
#include "weft/ir/verify.hpp"
#include "weft/transforms/gradient_rules.hpp"

using namespace weft;
using ir::Op;

namespace {

constexpr ir::Value input(ir::Builder& b, DType dtype, const Dims& dims) {
  const int x = b.leaf(Op::input, dtype, dims, static_cast<u64>(b.graph.inputs.size()));
  b.graph.inputs.push(x);
  return {&b, x};
}
std::string fault_of(ir::Graph g, int x, int node) {
  g.outputs.push(node);
  static_cast<void>(x);
  return std::string(ir::verify(g, ir::Stage::traced).what);
}

}  // namespace

TEST_CASE("group: a call is one number") {
  for (const GroupKind kind : {GroupKind::sum, GroupKind::gather, GroupKind::part, GroupKind::scatter})
    for (const bool to_parts : {false, true}) {
      const GroupCall call = GroupCall::decode(GroupCall{kind, 1000, to_parts}.encode());
      CHECK(call.kind == kind);
      CHECK(call.degree == 1000);
      CHECK(call.to_parts == to_parts);
    }
}

TEST_CASE("group: shapes along an axis") {
  ir::Builder b(64);
  const ir::Value x = input(b, DType::f32, Dims{3, {2, 12, 5}});
  CHECK(ir::group_part(x, 1, 4).dims() == Dims{3, {2, 3, 5}});
  CHECK(ir::group_scatter(x, 0, 2).dims() == Dims{3, {1, 12, 5}});
  CHECK(ir::group_gather(x, 2, 3, false).dims() == Dims{3, {2, 12, 15}});
  CHECK(ir::group_sum(x, 4).dims() == x.dims());
  CHECK(ir::group_copy(x, 4).dims() == x.dims());
  const ir::Value whole = ir::group_gather(ir::group_part(x, 1, 4), 1, 4, false);
  CHECK(whole.dims() == x.dims());
  b.graph.outputs.push(whole.id);
  CHECK(!ir::verify(b.graph, ir::Stage::traced));
  CHECK(ir::print(b.graph).find("group_collective") != std::string::npos);
  CHECK(ir::print(b.graph).find("gather of 4") != std::string::npos);
}

TEST_CASE("group: of one rank nothing is left") {
  ir::Builder b(64);
  const ir::Value x = input(b, DType::f32, Dims{2, {6, 5}});
  CHECK(ir::group_sum(x, 1).id == x.id);
  CHECK(ir::group_copy(x, 1).id == x.id);
  CHECK(ir::group_gather(ir::group_part(x, 0, 1), 0, 1, true).id == x.id);
}

TEST_CASE("group: narrow floats are summed as f32") {
  ir::Builder b(64);
  const ir::Value x = input(b, DType::bf16, Dims{1, {6}});
  const ir::Value y = ir::group_sum(x, 2);
  CHECK(y.op() == Op::cast);
  CHECK(y.dtype() == DType::bf16);
  CHECK(y.in(0).op() == Op::group_collective);
  CHECK(y.in(0).dtype() == DType::f32);
  CHECK(ir::group_gather(x, 0, 2, false).in(0).dtype() == DType::bf16);  // nothing is added
}

TEST_CASE("group: each leads where the other's gradient leads") {
  ir::Builder b(64);
  const ir::Value x = input(b, DType::f32, Dims{2, {4, 5}});
  const auto back = [&](ir::Value y) {
    ir::Value out[1]{};
    transforms::gradient_rule(y.op())(y, y, out);
    CHECK(out[0].dims() == y.in(0).dims());
    return out[0];
  };
  CHECK(back(ir::group_copy(x, 4)).op() == Op::group_collective);
  CHECK(back(ir::group_sum(x, 4)).op() == Op::group_copy);
  const auto kind = [](ir::Value y) { return GroupCall::decode(y.node().imm).kind; };
  const auto call = [&](GroupKind k, bool to_parts = false) {
    return ir::group_collective(x, {k, 4, to_parts});
  };
  CHECK(kind(back(call(GroupKind::gather))) == GroupKind::part);
  CHECK(kind(back(call(GroupKind::gather, true))) == GroupKind::scatter);
  const ir::Value of_part = back(call(GroupKind::part)), of_scatter = back(call(GroupKind::scatter));
  CHECK(kind(of_part) == GroupKind::gather);
  CHECK(!GroupCall::decode(of_part.node().imm).to_parts);
  CHECK(kind(of_scatter) == GroupKind::gather);
  CHECK(GroupCall::decode(of_scatter.node().imm).to_parts);
}

TEST_CASE("group: the verifier finds what is no call") {
  const auto made = [](const GroupCall& call, DType from, DType to, const Dims& dims) {
    ir::Builder b(64);
    const ir::Value x = input(b, from, Dims{2, {4, 5}});
    const ir::Value y = ir::raw(Op::group_collective, to, b.shape(dims), call.encode(), -1, x);
    return fault_of(b.graph, x.id, y.id);
  };
  const Dims same{2, {4, 5}};
  CHECK(made({GroupKind::sum, 1}, DType::f32, DType::f32, same) ==
        "group_collective: a group of fewer than two ranks");
  CHECK(made({GroupKind::sum, 4}, DType::f32, DType::f64, same) == "group_collective: two dtypes");
  CHECK(made({GroupKind::sum, 4}, DType::bf16, DType::bf16, same) ==
        "group_collective: a sum over ranks is of f32 or f64");
  CHECK(made({GroupKind::part, 3}, DType::f32, DType::f32, Dims{1, {5}}) ==
        "group_collective: another shape");
  CHECK(made({GroupKind::gather, 4}, DType::f32, DType::f32, same) == "group_collective: another shape");
}
