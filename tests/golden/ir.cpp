// The graph after every pass, and the kernels, of a few models.

#include <array>

#include "golden/golden.hpp"
#include "weft/nn/linear.hpp"
#include "weft/nn/norm.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/train/step.hpp"

using namespace weft;

namespace {

struct Mlp {
  nn::Linear<64, 128> fc1;
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<128, 10> fc2;
  constexpr auto operator()(auto x) const { return fc2(drop(relu(fc1(x)))); }
};

// A pre-norm residual block.
struct Block {
  nn::LayerNorm<64> norm;
  nn::Linear<64, 256> up;
  nn::Linear<256, 64> down;
  constexpr auto operator()(auto x) const { return x + down(gelu(up(norm(x)))); }
};

constexpr auto loss = [](const auto& m, auto image, auto label) { return cross_entropy(m(image), label); };
constexpr auto apply = [](const auto& m, auto x) { return m(x); };

template <class Precision>
using MlpOptions = train::Options<optim::AdamW, Precision, clip::Norm>;
template <class Precision>
using MlpStep = train::StepSource<Mlp, decltype(loss), MlpOptions<Precision>, true,
                                  Input<f32, Shape<128, 64>>, Input<i32, Shape<128>>>;

template <int Depth>
struct Stack {
  std::array<Block, Depth> blocks;
  constexpr auto operator()(auto x) const {
    for (const Block& block : blocks) x = block(x);
    return x;
  }
};

// A model's forward pass, or both with the gradient of the result as second input.
template <class M = Block, int Rows = 128>
ir::Graph block(bool backward) {
  ir::Builder b;
  b.graph.scalar_count = exec::random_words;
  const M model = exec::bind_model<M>(b, true);
  const int states = b.graph.slots.size();
  const auto x = exec::trace_input<Input<f32, Shape<Rows, 64>>>(b, 0);
  const auto y = model(x);
  b.graph.outputs.push(y.value.id);
  if (backward) {
    const auto dy = exec::trace_input<Input<f32, Shape<Rows, 64>>>(b, 1);
    List<int> wrt;
    wrt.push(x.value.id);
    for (int s = 0; s < states; ++s)
      wrt.push(b.leaf(ir::Op::state, b.graph.slots[s].dtype, Dims(b.graph.shapes[b.graph.slots[s].shape]),
                      static_cast<u64>(s)));
    for (const ir::Value& gradient : transforms::differentiate(y.value, dy.value, wrt))
      b.graph.outputs.push(gradient.id);
  }
  return static_cast<ir::Graph&&>(b.graph);
}

}  // namespace

TEST_CASE("golden: softmax") {
  using Source =
      exec::FunctionSource<decltype([](auto x) { return softmax<-1>(x); }), Input<f32, Shape<32, 1000>>>;
  int launches = 0;
  const ir::Graph traced = Source::graph();
  golden::compare("softmax", golden::section("trace", traced) + golden::after_prune(traced, &launches));
  CHECK(launches == 1);
}

TEST_CASE("golden: a pre-norm residual block, forward") {
  int launches = 0;
  const ir::Graph traced = block(false);
  golden::compare("block_forward", golden::section("trace", traced) + golden::after_prune(traced, &launches));
  CHECK(launches == 4);  // norm, product with bias, gelu, product with sum and bias
}

TEST_CASE("golden: a pre-norm residual block, forward and backward") {
  int forward = 0, both = 0;
  golden::after_prune(block(false), &forward);
  const ir::Graph traced = block(true);
  golden::compare("block_backward",
                  golden::section("differentiate", traced) + golden::after_prune(traced, &both));
  CHECK(forward == 4);
  CHECK(both - forward <= 8);
}

// Launches of a pass over `Depth` blocks, at an extent where every sum along the rows has a second stage.
template <int Depth>
int stack_launches(bool backward, transforms::PrecisionRule rule = {}) {
  const ir::Graph graph = transforms::apply_precision(block<Stack<Depth>, 4096>(backward), rule);
  return static_cast<int>(exec::explain_graph(graph).steps.size());
}

TEST_CASE("golden: residual blocks take 4 launches forward and at most 7 backward, at any depth") {
  // Between blocks the sum of two gradients is made in the kernel that needs it; one launch at the end puts
  // the parts of all sums along the rows together.
  CHECK(stack_launches<1>(false) == 4);
  CHECK(stack_launches<1>(true) == 4 + 7);
  CHECK(stack_launches<3>(false) == 12);
  CHECK(stack_launches<3>(true) == 12 + 19);
  CHECK(stack_launches<6>(false) == 24);
  CHECK(stack_launches<6>(true) == 24 + 37);
}

TEST_CASE("golden: they take as many in bf16 and f16, once the weights are cast, and the gradient given") {
  for (const transforms::PrecisionRule rule : {precision::BF16::rule, precision::F16::rule}) {
    CHECK(stack_launches<1>(false, rule) == 1 + 4);
    CHECK(stack_launches<1>(true, rule) == 1 + 4 + 1 + 7);
    CHECK(stack_launches<3>(false, rule) == 1 + 12);
    CHECK(stack_launches<3>(true, rule) == 1 + 12 + 1 + 19);
    CHECK(stack_launches<6>(false, rule) == 1 + 24);
    CHECK(stack_launches<6>(true, rule) == 1 + 24 + 1 + 37);
  }
}

TEST_CASE("golden: a training step of a small classifier") {
  using Forward =
      exec::ModelSource<Mlp, decltype(loss), true, Input<f32, Shape<128, 64>>, Input<i32, Shape<128>>>;
  const ir::Graph whole = train::StepSource<Mlp, decltype(loss), MlpOptions<precision::F32>, true,
                                            Input<f32, Shape<128, 64>>, Input<i32, Shape<128>>>::graph();
  golden::compare("mlp_step", golden::section("trace", Forward::graph()) +
                                  golden::section("differentiate", whole) +
                                  golden::after_prune(MlpStep<precision::F32>::graph()));
}

TEST_CASE("golden: the same in bf16: casts, of all weights as one vector, and nothing else are new") {
  const ir::Graph plain = transforms::prune(MlpStep<precision::F32>::graph()),
                  low = transforms::prune(MlpStep<precision::BF16>::graph());
  golden::compare("mlp_step_bf16", golden::after_prune(MlpStep<precision::BF16>::graph()));
  int plain_count[ir::op_count]{}, low_count[ir::op_count]{};
  for (const ir::Node& n : plain.nodes) ++plain_count[static_cast<int>(n.op)];
  for (const ir::Node& n : low.nodes) ++low_count[static_cast<int>(n.op)];
  const auto at = [](ir::Op op) { return static_cast<int>(op); };
  CHECK(low_count[at(ir::Op::state)] == plain_count[at(ir::Op::state)] + 1 - 2);  // two weights
  CHECK(low_count[at(ir::Op::flat_slice)] == 2);
  for (int op = 0; op < ir::op_count; ++op)
    if (op != at(ir::Op::cast) && op != at(ir::Op::state) && op != at(ir::Op::flat_slice))
      CHECK_MESSAGE(plain_count[op] == low_count[op], ir::op_table[op].name);
}

TEST_CASE("golden: policies leave random streams as they are") {
  const auto streams = [](const ir::Graph& g) {
    std::string out;
    for (const ir::Node& n : g.nodes)
      if (n.op == ir::Op::random)
        out += std::to_string(n.imm) + " " + to_text(g.shapes[n.shape]).c_str() + ";";
    return out;
  };
  const std::string plain = streams(transforms::prune(MlpStep<precision::F32>::graph()));
  CHECK(plain == "0 (128, 128);");
  CHECK(streams(transforms::prune(MlpStep<precision::BF16>::graph())) == plain);
  CHECK(streams(transforms::prune(MlpStep<precision::F16>::graph())) == plain);
}

TEST_CASE("golden: an evaluation has no random node") {
  using Source = exec::ModelSource<Mlp, decltype(apply), false, Input<f32, Shape<8, 64>>>;
  for (const ir::Node& n : Source::graph().nodes) CHECK(n.op != ir::Op::random);
}
