#include "weft/passes/precision.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "../../../benchmarks/compile/gpt2.hpp"

using namespace weft;

namespace {

using Tiny = gpt2::Gpt2<8, 16, 2, 32, 1>;
template <class... O>
ir::Graph step(O...) {
  return train::StepSource<Tiny, gpt2::NextToken, train::Options<optim::AdamW, O...>, true,
                           Input<i32, Shape<2, 8>>, Input<i32, Shape<2, 8>>>::graph();
}

std::vector<u64> streams(const ir::Graph& g) {
  std::vector<u64> all;
  for (const ir::Node& n : g.nodes)
    if (n.op == ir::Op::random) all.push_back(n.imm);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST_CASE("precision: bf16 lowers every product's operands and nothing else") {
  const ir::Graph plain = passes::prune(step(precision::f32)), low = passes::prune(step(precision::bf16));
  int products = 0;
  for (int i = 0; i < low.nodes.size(); ++i) {
    if (low.nodes[i].op != ir::Op::dot) continue;
    ++products;
    CHECK(low.nodes[low.in(i, 0)].dtype == DType::bf16);
    CHECK(low.nodes[low.in(i, 1)].dtype == DType::bf16);
  }
  int before = 0;
  for (const ir::Node& n : plain.nodes) before += n.op == ir::Op::dot;
  CHECK(products == before);
  for (const ir::Node& n : low.nodes)
    if (n.op != ir::Op::dot && n.op != ir::Op::cast && ir::is_pointwise(n.op)) CHECK(n.dtype != DType::bf16);
}

TEST_CASE("precision: policies leave the random streams, and so the masks, unchanged") {
  const std::vector<u64> plain = streams(step(precision::f32));
  CHECK(plain.size() > 3);
  CHECK(streams(step(precision::bf16)) == plain);
  CHECK(streams(step(precision::f16)) == plain);
  CHECK(streams(step(clip::norm(1.0f))) == plain);
  // one stream a call of dropout
  for (std::size_t i = 0; i + 1 < plain.size(); ++i) CHECK(plain[i] != plain[i + 1]);
}
