// Which products precision::f8 takes in 8 bits, and what their factors are. What is computed is compared with
// PyTorch in train/f8.cpp.

#include "weft/transforms/delayed_scaling.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../benchmarks/compile/gpt2.hpp"

using namespace weft;

namespace {

constexpr auto squares = [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); };
constexpr auto all = [](std::string_view, const Dims&) { return true; };
using precision::DelayedScaling;
using All = precision::F8<DelayedScaling{}, all>;
using Inner = precision::F8<>;

template <class Precision>
using Options = train::Options<optim::AdamW, Precision>;
template <class M, class Loss, class Precision, class... I>
using Stage = train::RoundedTrace<M, Loss, Options<Precision>, I...>;

// The parameters whose products are taken in 8 bits, by name, in their order.
template <class M, class S>
std::string weights() {
  std::string names;
  for (int k = 0; k < S::count(); ++k)
    if (S::scale(k).role == transforms::F8Role::weight)
      names += std::string(nn::state_table<M>.row[S::scale(k).parameter].name.view()) + " x" +
               std::to_string(S::scale(k).copies) + " ";
  return names;
}
template <class M, class Precision, i64 In, i64 Out>
std::string weights_of() {
  return weights<
      M, Stage<M, decltype(squares), Precision, Input<f32, Shape<6, In>>, Input<f32, Shape<6, Out>>>>();
}

struct Five {
  nn::Linear<4, 4> a, b, c, d, e;
  constexpr auto operator()(auto x) const { return e(d(c(b(a(x))))); }
};
struct Image {
  nn::Conv2d<1, 2, 3> conv;
  nn::Linear<8, 4> fc1, fc2;
  constexpr auto operator()(auto x) const {
    return fc2(matmul(reshape<6, 4>(fc1(flatten<1>(conv(reshape<6, 1, 4, 4>(x))))), matrix) * 1.0f);
  }
  nn::Param<f32, Shape<4, 8>> matrix;
};
struct Recurrent {
  nn::RNN<4, 4> rnn;
  nn::Linear<4, 4> a, b;
  constexpr auto operator()(auto x) const {
    const auto [y, h] = rnn(reshape<2, 3, 4>(x));
    return b(a(reshape<6, 4>(y)));
  }
};
// Of the blocks' own weights, and of one that all blocks read.
struct OneForAll {
  nn::Linear<4, 4> in;
  struct Block {
    nn::Linear<4, 4> fc;
    constexpr auto operator()(auto x, auto shared) const { return matmul(fc(x), shared); }
  };
  nn::Stack<Block, 3> h;
  nn::Param<f32, Shape<4, 4>> w;
  nn::Linear<4, 4> out;
  constexpr auto operator()(auto x) const { return out(h(in(x), w)); }
};

using Tiny = gpt2::Gpt2<8, 16, 2, 32, 2, gpt2::Depth::stacked>;
using Tokens = Input<i32, Shape<2, 8>>;

}  // namespace

TEST_CASE("delayed scaling: all products but those of the first and the last layer") {
  CHECK(weights_of<Five, Inner, 4, 4>() == "b.weight x1 c.weight x1 d.weight x1 ");
  CHECK(weights_of<Five, All, 4, 4>() == "a.weight x1 b.weight x1 c.weight x1 d.weight x1 e.weight x1 ");
}

TEST_CASE("delayed scaling: a convolution is a layer, and no product; so is a look-up") {
  CHECK(weights_of<Image, Inner, 16, 4>() == "fc1.weight x1 matrix x1 ");
  CHECK(weights_of<Image, All, 16, 4>() == "fc1.weight x1 matrix x1 fc2.weight x1 ");
  // token and position embedding, four products of each block, the head: attention's own products are none
  const std::string blocks =
      "h.0.attn.c_attn.weight x2 h.0.attn.c_proj.weight x2 h.0.mlp.c_fc.weight x2 h.0.mlp.c_proj.weight x2 ";
  CHECK(weights<Tiny, Stage<Tiny, gpt2::NextToken, Inner, Tokens, Tokens>>() == blocks);
  CHECK(weights<Tiny, Stage<Tiny, gpt2::NextToken, All, Tokens, Tokens>>() == blocks + "wte.weight x1 ");
}

TEST_CASE("delayed scaling: products with what all trips of a loop share stay as they are") {
  // the product with the inputs of all steps stands before the loop
  CHECK(weights_of<Recurrent, All, 4, 4>() == "rnn.weight_ih_l0 x1 a.weight x1 b.weight x1 ");
  CHECK(weights_of<OneForAll, All, 4, 4>() == "in.weight x1 h.0.fc.weight x3 out.weight x1 ");
}

TEST_CASE("delayed scaling: in the step every product has factors of bf16, those in 8 bits f32 sums") {
  using Step = train::StepSource<Five, decltype(squares), Options<Inner>, true, Input<f32, Shape<6, 4>>,
                                 Input<f32, Shape<6, 4>>>;
  const ir::Graph g = transforms::prune(Step::graph());
  CHECK(!ir::verify(g, ir::Stage::pruned));
  int products = 0, rounded = 0, e4m3 = 0, e5m2 = 0;
  for (int i = 0; i < g.nodes.size(); ++i) {
    const ir::Node& n = g.nodes[i];
    e4m3 += n.op == ir::Op::cast && n.dtype == DType::f8e4m3;
    e5m2 += n.op == ir::Op::cast && n.dtype == DType::f8e5m2;
    if (n.op != ir::Op::dot) continue;
    ++products;
    CHECK(n.imm == 0);
    int f8 = 0;
    for (int k = 0; k < 2; ++k) {
      const int x = transforms::source_of(g, g.in(i, k));
      CHECK(g.nodes[x].dtype == DType::bf16);
      const bool cast = g.nodes[x].op == ir::Op::cast;
      f8 += cast && size_of(g.nodes[g.in(x, 0)].dtype) == 1;
    }
    CHECK(f8 != 1);
    rounded += f8 == 2;
    if (f8 == 2) CHECK(n.dtype == DType::f32);
  }
  CHECK(products == 5 * 3 - 1);  // the input has no gradient
  CHECK(rounded == 3 * 3);
  CHECK(e4m3 == 6);
  CHECK(e5m2 == 3);
}
