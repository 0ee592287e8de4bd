#include "weft/ir/attention.hpp"

#include <doctest/doctest.h>

#include <string>

#include "weft/ir/print.hpp"
#include "weft/ir/verify.hpp"

using namespace weft;
using ir::Op;

namespace {

struct Parts {
  Dims q{4, {2, 4, 5, 8}}, k{4, {2, 2, 6, 8}}, v{4, {2, 2, 6, 3}}, captured{4, {1, 4, 1, 6}};
  Dims grid{4, {2, 4, 5, 6}};
  DType score = DType::f32;
  bool drops = false;
};

// Scores plus what is captured.
ir::Graph attention_of(const Parts& parts) {
  ir::Builder body(16);
  body.graph.is_body = true;
  const auto input = [](ir::Builder& b, DType t, const Dims& d) {
    const int made = b.leaf(Op::input, t, d, static_cast<u64>(b.graph.inputs.size()));
    b.graph.inputs.push(made);
    return ir::Value{&b, made};
  };
  const ir::Value product = input(body, DType::f32, parts.grid),
                  bias = input(body, DType::f32, parts.captured);
  const ir::Value score = product + ir::broadcast(bias, parts.grid);
  body.graph.outputs.push(ir::cast(score, parts.score).id);
  ir::Builder b(16);
  List<int> operands;
  for (const Dims* d : {&parts.q, &parts.k, &parts.v, &parts.captured})
    operands.push(input(b, DType::f32, *d).id);
  const ir::Value region = ir::attention(b, body.graph, operands, parts.drops);
  b.graph.outputs.push(ir::attention_result(region, ir::AttentionShape::y, DType::f32).id);
  b.graph.outputs.push(ir::attention_result(region, ir::AttentionShape::row_lse, DType::f32).id);
  return static_cast<ir::Graph&&>(b.graph);
}
std::string fault_of(const Parts& parts) {
  return ir::to_text(ir::verify(attention_of(parts)), attention_of(parts));
}

}  // namespace

TEST_CASE("attention: a region of two results, whose body stands on the grid") {
  const ir::Graph g = attention_of({});
  CHECK(!ir::verify(g, ir::Stage::pruned));
  CHECK(ir::print(g) ==
        "%0 = input 0 : f32 (2, 4, 5, 8)\n"
        "%1 = input 1 : f32 (2, 2, 6, 8)\n"
        "%2 = input 2 : f32 (2, 2, 6, 3)\n"
        "%3 = input 3 : f32 (1, 4, 1, 6)\n"
        "%4 = attention(%0, %1, %2, %3) body 0 captured 1 : u8 ()\n"
        "%5 = result(%4) 0 : f32 (2, 4, 5, 3)\n"
        "%6 = result(%4) 1 : f32 (2, 4, 2, 5)\n"
        "return %5, %6\n"
        "body 0:\n"
        "  %0 = input 0 : f32 (2, 4, 5, 6)\n"
        "  %1 = input 1 : f32 (1, 4, 1, 6)\n"
        "  %2 = broadcast(%1) : f32 (2, 4, 5, 6)\n"
        "  %3 = add(%0, %2) : f32 (2, 4, 5, 6)\n"
        "  return %3\n");
  const ir::AttentionShape s = ir::attention_shape(g, 4);
  CHECK(s.grid() == Dims{4, {2, 4, 5, 6}});
  CHECK(s.operands() == 4);
  const ir::Graph again = ir::thaw([&] {
    static List<u64> words;
    WordWriter count(nullptr, 0);
    ir::write(count, g);
    words = List<u64>(count.size(), 0);
    WordWriter writer(words.data(), words.size());
    ir::write(writer, g);
    return words.data();
  }());
  CHECK(ir::print(again) == ir::print(g));
}

TEST_CASE("attention: the verifier finds what does not fit") {
  const std::string at = "node %4 (attention): ";
  CHECK(fault_of({.k = {4, {2, 3, 6, 8}}}) == at + "attention: the extents of q, k and v do not fit");
  CHECK(fault_of({.k = {4, {2, 2, 6, 7}}}) == at + "attention: the extents of q, k and v do not fit");
  CHECK(fault_of({.v = {4, {2, 2, 5, 3}}}) == at + "attention: the extents of q, k and v do not fit");
  CHECK(fault_of({.q = {4, {2, 4, 4, 8}}}) == at + "attention: an output of its body is not on the grid");
  CHECK(fault_of({.score = DType::f64}) == at + "attention: an output of its body is not on the grid");
  CHECK(fault_of({.drops = true}) == at + "attention: its body's outputs are not the region's");
  Parts parts;
  parts.grid = {4, {2, 4, 5, 3}};
  parts.captured = {4, {1, 4, 1, 3}};
  CHECK(fault_of(parts) == at + "attention: a captured tensor does not lie along the grid");
  ir::Graph third = attention_of({});
  third.nodes[6].imm = 2;
  CHECK(std::string(ir::verify(third).what) == "attention has no such result");
  ir::Graph wrong = attention_of({});
  wrong.nodes[6].shape = wrong.nodes[5].shape;
  CHECK(std::string(ir::verify(wrong).what) == "attention: wrong result shape");
}
