#include "weft/transforms/rematerialize.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/compile_verified.hpp"
#include "support/same_state.hpp"
#include "support/small_gpt.hpp"
#include "weft/weft.hpp"

using namespace weft;
using namespace test_support::small_gpt;

namespace {

using Written = Gpt<std::array<Block, 3>>;

}  // namespace

TEST_CASE_TEMPLATE("rematerialize: the bits of a run that keeps everything, in less memory", M, Written,
                   Gpt<nn::Stack<Block, 3>>, Gpt<nn::Sequential<Block, Block, Block>>) {
  auto plain = trainer_of<M>();
  auto blocks = trainer_of<M>(checkpoint::blocks);
  auto dots = trainer_of<M>(checkpoint::dots);
  auto kept = trainer_of<M>(checkpoint::keep<[](std::string_view op, const Dims& shape) {
    return op == "dot" && shape[shape.rank - 1] == 4 * width;
  }>);
  const std::vector<f32> expected = losses(plain);
  CHECK(losses(blocks) == expected);
  CHECK(test_support::different_state(plain.model(), blocks.model()) == "");
  CHECK(losses(dots) == expected);
  CHECK(test_support::different_state(plain.model(), dots.model()) == "");
  CHECK(losses(kept) == expected);
  CHECK(test_support::different_state(plain.model(), kept.model()) == "");
  const auto room = [](auto& t) { return t.workspace_bytes(); };
  CHECK(5 * room(blocks) < 3 * room(plain));
  CHECK(room(blocks) < room(kept));
  CHECK(room(kept) < room(dots));
  CHECK(room(dots) < room(plain));
  const auto flops = [](auto& t) { return static_cast<double>(t.plan().flops); };
  CHECK(flops(blocks) <= 1.25 * flops(plain));
  CHECK(flops(dots) < flops(kept));
  CHECK(flops(kept) < flops(blocks));
}

// The results of an attention, which is itself no value.
TEST_CASE_TEMPLATE("rematerialize: attention that is kept", M, Written, Gpt<nn::Stack<Block, 3>>) {
  auto plain = trainer_of<M>();
  auto blocks = trainer_of<M>(checkpoint::blocks);
  auto kept =
      trainer_of<M>(checkpoint::keep<[](std::string_view op, const Dims&) { return op == "attention"; }>);
  CHECK(losses(kept) == losses(plain));
  CHECK(test_support::different_state(plain.model(), kept.model()) == "");
  CHECK(kept.workspace_bytes() < plain.workspace_bytes());
  CHECK(kept.plan().flops < blocks.plan().flops);
}

TEST_CASE("rematerialize: with precision, accumulation, clipping and groups") {
  using M = Written;
  const auto same = [](const auto&... options) {
    auto plain = trainer_of<M>(options...);
    auto blocks = trainer_of<M>(options..., checkpoint::blocks);
    CHECK(losses(blocks) == losses(plain));
    CHECK(test_support::different_state(plain.model(), blocks.model()) == "");
    CHECK(4 * blocks.workspace_bytes() < 3 * plain.workspace_bytes());
  };
  same(precision::bf16, clip::norm(0.5f));
  same(precision::f16, accumulate<2>);
}

namespace {

// Two blocks with state of their own, the first of which is called again behind the second.
struct Normed {
  nn::Linear<32, 32> fc;
  nn::BatchNorm1d<32> norm;
  constexpr auto operator()(auto x) const { return relu(norm(fc(x))); }
};
struct Again {
  std::array<Normed, 3> blocks;
  nn::Linear<32, 4> head;
  constexpr auto operator()(auto x) const { return head(blocks[1](blocks[2](blocks[0](x))) + x); }
};
struct Twice {
  std::array<nn::Linear<32, 32>, 2> layer;
  constexpr auto operator()(auto x) const { return layer[0](gelu(layer[1](gelu(layer[0](x))))); }
};

// A bias that is added behind the residual, in one kernel with the product, where nothing else reads the sum.
struct Residual {
  nn::Linear<32, 32> a, c;
  constexpr auto operator()(auto x) const { return x + c(gelu(a(x))); }
};
// And where something does, in the forward pass alone.
struct ReadTwice {
  nn::Linear<32, 32> c;
  constexpr auto operator()(auto x) const {
    const auto y = c(x);
    return tanh(x + y) + 0.5f * y;
  }
};
template <class Block>
struct InArray {
  std::array<Block, 3> h;
  constexpr auto operator()(auto x) const { return h[2](h[1](h[0](x))); }
};
template <class Block>
struct InStack {
  nn::Stack<Block, 3> h;
  constexpr auto operator()(auto x) const { return h(x); }
};

template <class M, class L>
void same_in_both(L loss) {
  auto plain = make_trainer<M>(Cpu{}, loss, in<f32, 64, 32>, optim::SGD{.lr = 0.1f}, seed{2});
  auto again =
      make_trainer<M>(Cpu{}, loss, in<f32, 64, 32>, optim::SGD{.lr = 0.1f}, seed{2}, checkpoint::blocks);
  std::vector<f32> x(64 * 32);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<f32>(i % 17) * 0.1f - 0.7f;
  for (int step = 0; step < 5; ++step) CHECK(plain.step(x).value() == again.step(x).value());
}

}  // namespace

TEST_CASE("rematerialize: blocks in any order, with buffers, called more than once") {
  same_in_both<Again>([](const auto& m, auto x) { return mean<>(square(m(x))); });
  same_in_both<Twice>([](const auto& m, auto x) { return mean<>(square(m(x) - x)); });
}

namespace {

// One block in the place of six.
struct SixTimes {
  std::array<Residual, 1> h;
  constexpr auto operator()(auto x) const {
    for (int k = 0; k < 6; ++k) x = h[0](x);
    return x;
  }
};

}  // namespace

TEST_CASE("rematerialize: each call of a block is computed again by itself") {
  constexpr auto loss = [](const auto& m, auto x) { return mean<>(square(m(x) - 0.3f)); };
  same_in_both<SixTimes>(loss);
  const auto room = [&](auto checkpointing) {
    auto trainer =
        make_trainer<SixTimes>(Cpu{}, loss, in<f32, 64, 32>, optim::SGD{.lr = 0.1f}, checkpointing);
    return trainer.workspace_bytes();
  };
  CHECK(4 * room(checkpoint::blocks) < 3 * room(checkpoint::none));
}

namespace {

// Blocks that are plain members, one of which has members of its own, and one an array.
struct Member {
  nn::Linear<32, 128> up;
  nn::Linear<128, 32> down;
  constexpr auto operator()(auto x) const { return x + down(gelu(up(x))); }
};
struct Nested {
  Member first;
  std::array<Member, 2> rest;
  constexpr auto operator()(auto x) const { return rest[1](rest[0](first(x))); }
};
struct Named {
  Member in;
  Nested body;
  Member out;
  constexpr auto operator()(auto x) const { return out(body(in(x))); }
};

}  // namespace

TEST_CASE(
    "rematerialize: blocks are scopes that a predicate names, the outermost of these and of arrays' "
    "elements") {
  const auto trainer_of = [](const auto&... options) {
    return make_trainer<Named>(
        Cpu{}, [](const auto& m, auto x) { return mean<>(square(m(x))); }, in<f32, 64, 32>,
        optim::SGD{.lr = 0.1f}, seed{2}, options...);
  };
  auto plain = trainer_of();
  auto elements = trainer_of(checkpoint::blocks);  // body.rest.0 and 1
  auto members = trainer_of(checkpoint::blocks_of<[](std::string_view scope) {
    return scope == "in" || scope == "out" || scope == "body.first";
  }>);  // these and body.rest.0 and 1
  auto three = trainer_of(checkpoint::blocks_of<[](std::string_view scope) {
    return scope.find('.') == std::string_view::npos;
  }>);
  std::vector<f32> x(64 * 32);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<f32>(i % 17) * 0.1f - 0.7f;
  for (int step = 0; step < 5; ++step) {
    const f32 loss = plain.step(x).value();
    CHECK(elements.step(x).value() == loss);
    CHECK(members.step(x).value() == loss);
    CHECK(three.step(x).value() == loss);
  }
  const auto flops = [](auto& t) { return t.plan().flops; };
  CHECK(flops(plain) < flops(elements));
  CHECK(flops(elements) < flops(members));
  CHECK(members.workspace_bytes() < elements.workspace_bytes());
  CHECK(elements.workspace_bytes() < plain.workspace_bytes());
  CHECK(three.workspace_bytes() < plain.workspace_bytes());
}

TEST_CASE("rematerialize: biases are added where they were") {
  constexpr auto loss = [](const auto& m, auto x) { return mean<>(square(m(x) - 0.3f)); };
  same_in_both<InArray<Residual>>(loss);
  same_in_both<InStack<Residual>>(loss);
  same_in_both<InArray<ReadTwice>>(loss);
  same_in_both<InStack<ReadTwice>>(loss);
  same_in_both<InArray<Residual>>([](const auto& m, auto x) {
    const auto a = m.h[0](x), b = m.h[1](a);
    return mean<>(square(m.h[2](b))) + 0.1f * mean<>(square(a - b));
  });
}

namespace {

// Weights without biases, whose casts to bf16 are one kernel's.
struct Wide {
  nn::Linear<64, 128, false> a;
  nn::Linear<128, 64, false> b;
  constexpr auto operator()(auto x) const { return x + b(gelu(a(x))); }
};
struct Without {
  nn::Linear<64, 64> stem;
  std::array<Wide, 3> h;
  nn::Linear<64, 64> head;
  constexpr auto operator()(auto x) const { return head(h[2](h[1](h[0](stem(x))))); }
};

struct ResidualStack {
  nn::Linear<64, 64> stem;
  nn::Stack<Wide, 3> h;
  nn::Linear<64, 64> head;
  constexpr auto operator()(auto x) const { return head(h(stem(x))); }
};

}  // namespace

TEST_CASE_TEMPLATE("rematerialize: blocks are found in every precision", P, precision::F32, precision::BF16,
                   precision::F16) {
  constexpr auto loss = [](const auto& m, auto x) { return mean<>(square(m(x))); };
  const auto trainer = [&](auto checkpointing) {
    return make_trainer<Without>(Cpu{}, loss, in<f32, 256, 64>, optim::SGD{.lr = 0.1f}, seed{1}, P{},
                                 checkpointing);
  };
  auto plain = trainer(checkpoint::none);
  auto blocks = trainer(checkpoint::blocks);
  CHECK(5 * blocks.workspace_bytes() < 4 * plain.workspace_bytes());
  CHECK(20 * blocks.plan().flops > 22 * plain.plan().flops);  // products are computed again
  const std::vector<f32> x(256 * 64, 0.25f);
  for (int step = 0; step < 3; ++step) CHECK(plain.step(x).value() == blocks.step(x).value());
}

// Of the body of a Stack's loop, where what nothing reads any more must not say what is rounded.
TEST_CASE_TEMPLATE("rematerialize: a Stack's residual additions have the bits of a run that keeps everything",
                   P, precision::BF16, precision::F16) {
  constexpr auto loss = [](const auto& m, auto x) { return mean<>(square(m(x))); };
  auto plain =
      make_trainer<ResidualStack>(Cpu{}, loss, in<f32, 16, 64>, optim::SGD{.lr = 0.1f}, seed{1}, P{});
  auto blocks = make_trainer<ResidualStack>(Cpu{}, loss, in<f32, 16, 64>, optim::SGD{.lr = 0.1f}, seed{1},
                                            P{}, checkpoint::blocks);
  std::vector<f32> x(16 * 64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<f32>(i));
  for (int step = 0; step < 3; ++step) CHECK(plain.step(x).value() == blocks.step(x).value());
  CHECK(test_support::different_state(plain.model(), blocks.model()) == "");
}

TEST_CASE("rematerialize: what is computed again waits for its gradient") {
  using Source =
      train::StepSource<Written, decltype(next_token), train::Options<optim::AdamW, checkpoint::Blocks>, true,
                        Input<i32, Shape<batch, length>>, Input<i32, Shape<batch, length>>>;
  const compiler::Module m = testing::compile_verified(Source::graph());
  int waiting = 0, erfs = 0;
  for (const ir::Node& n : m.graph.nodes) {
    waiting += n.op == ir::Op::add_dependency;
    erfs += n.op == ir::Op::erf;
  }
  CHECK(waiting >= 3);
  CHECK(erfs >= 6);  // of each block's gelu, forward and again
}
