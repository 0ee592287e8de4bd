#include "weft/compiler/user_pass.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "weft/weft.hpp"

using namespace weft;

namespace {

struct Net {
  nn::Linear<64, 32> fc1;
  nn::Linear<32, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(tanh(fc1(x))); }
};
struct Sines {
  nn::Linear<64, 32> fc1;
  nn::Linear<32, 3> fc2;
  constexpr auto operator()(auto v) const { return fc2(sin(fc1(v))); }
};
constexpr auto loss = [](const auto& model, auto x) { return mean<>(square(model(x))); };

// The gradients, which are the results behind the loss, times two.
struct Doubled {
  static constexpr ir::Graph run(const ir::Graph& g) {
    ir::Builder b{ir::Graph(g)};
    for (int k = 1; k < g.outputs.size(); ++k) {
      const ir::Value v{&b, g.outputs[k]};
      b.graph.outputs[k] = (v * ir::constant_like(v, 2)).id;
    }
    return static_cast<ir::Graph&&>(b.graph);
  }
  static constexpr bool verify(const ir::Graph& g) { return g.outputs.size() == 5; }
};

constexpr bool holds(const ir::Graph& g, ir::Op op) {
  for (const ir::Node& n : g.nodes)
    if (n.op == op) return true;
  return false;
}
template <ir::Op From, ir::Op To>
struct Exchanged {
  static constexpr ir::Graph run(const ir::Graph& g) {
    return pass::rewrite(g, [](ir::Builder&, const ir::Node& node, const ir::Value* x) {
      return node.op == From ? ir::unary(To, x[0]) : ir::Value{};
    });
  }
  static constexpr bool verify(const ir::Graph& g) { return !holds(g, From) && holds(g, To); }
};
// Nothing but the rewriting of all nodes.
struct Same {
  static constexpr ir::Graph run(const ir::Graph& g) {
    return pass::rewrite(g, [](ir::Builder&, const ir::Node&, const ir::Value*) { return ir::Value{}; });
  }
  static constexpr bool verify(const ir::Graph&) { return true; }
};

std::vector<f32> ramp(std::size_t n) {
  std::vector<f32> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0.01f * static_cast<f32>(i % 37) - 0.2f;
  return x;
}
// The losses of five steps.
template <class Trainer>
std::vector<f32> losses(Trainer trainer) {
  std::vector<f32> out;
  const std::vector<f32> x = ramp(16 * 64);
  for (int i = 0; i < 5; ++i) out.push_back(trainer.step(x));
  return out;
}

}  // namespace

TEST_CASE(
    "user_pass: behind differentiate it sees the gradients, and gradients times 2 are the rate times 2") {
  const auto twice =
      losses(make_trainer<Net>(Cpu{}, loss, in<f32, 16, 64>, optim::SGD{.lr = 0.25f}, seed{3}));
  CHECK(losses(make_trainer<Net>(Cpu{}, loss, in<f32, 16, 64>, optim::SGD{.lr = 0.125f}, seed{3},
                                 pass::after<"differentiate">(Doubled{}))) == twice);
  // twice the pass: in the order of the options, and both run
  const auto four = losses(make_trainer<Net>(Cpu{}, loss, in<f32, 16, 64>, optim::SGD{.lr = 0.5f}, seed{3}));
  CHECK(losses(make_trainer<Net>(Cpu{}, loss, in<f32, 16, 64>, optim::SGD{.lr = 0.125f}, seed{3},
                                 pass::after<"differentiate">(Doubled{}),
                                 pass::after<"differentiate">(Doubled{}))) == four);
}

TEST_CASE(
    "user_pass: behind the trace it changes the value and its gradient, behind differentiate the value "
    "alone") {
  auto f = [](auto x) { return std::tuple{tanh(x), grad([](auto v) { return sum<>(tanh(v)); })(x)}; };
  auto plain = compile(Cpu{}, f, in<f32, 64>);
  auto sines = compile(Cpu{}, f, in<f32, 64>, pass::after<"trace">(Exchanged<ir::Op::tanh, ir::Op::sin>{}));
  const std::vector<f32> x = ramp(64);
  auto [value, slope] = plain(x);
  auto [sine, other] = sines(x);
  for (i64 i = 0; i < 64; ++i) {
    const f32 v = x[static_cast<std::size_t>(i)];
    CHECK(value[i] == doctest::Approx(std::tanh(v)).epsilon(1e-5));
    CHECK(sine[i] == doctest::Approx(std::sin(v)).epsilon(1e-5));
    // grad(f) is part of the trace, so the slope is 1 - t^2 of what stands for tanh now
    CHECK(other[i] == doctest::Approx(1 - std::sin(v) * std::sin(v)).epsilon(1e-5));
  }
  // of a trainer, whose gradient comes behind the trace: exactly that of the other model
  CHECK(losses(make_trainer<Net>(Cpu{}, loss, in<f32, 16, 64>, optim::AdamW{.lr = 0.01f}, seed{3},
                                 pass::after<"trace">(Exchanged<ir::Op::tanh, ir::Op::sin>{}))) ==
        losses(make_trainer<Sines>(Cpu{}, loss, in<f32, 16, 64>, optim::AdamW{.lr = 0.01f}, seed{3})));
}

TEST_CASE("user_pass: all nodes made again give the same bits, behind every pass") {
  const auto plain = losses(
      make_trainer<Net>(Cpu{}, loss, in<f32, 16, 64>, optim::AdamW{.lr = 0.01f}, precision::bf16, seed{3}));
  CHECK(losses(make_trainer<Net>(Cpu{}, loss, in<f32, 16, 64>, optim::AdamW{.lr = 0.01f}, precision::bf16,
                                 pass::after<"trace">(Same{}), pass::after<"differentiate">(Same{}),
                                 pass::after<"update">(Same{}), pass::after<"precision">(Same{}),
                                 pass::after<"prune">(Same{}), seed{3})) == plain);
  auto f = [](auto x) { return softmax<1>(x) + 1; };
  auto one = compile(Cpu{}, f, in<f32, 4, 64>);
  auto other =
      compile(Cpu{}, f, in<f32, 4, 64>, pass::after<"trace">(Same{}), pass::after<"differentiate">(Same{}),
              pass::after<"precision">(Same{}), pass::after<"prune">(Same{}));
  const std::vector<f32> x = ramp(256);
  CHECK(one(x).to_vector() == other(x).to_vector());
  CHECK(decltype(one)::launches() == decltype(other)::launches());
}

TEST_CASE("user_pass: behind prune, what a pass leaves unused or as a bare input is cleaned up") {
  struct Dropped {
    static constexpr ir::Graph run(const ir::Graph& g) {
      return pass::rewrite(g, [](ir::Builder&, const ir::Node& node, const ir::Value* x) {
        return node.op == ir::Op::tanh ? x[0] : ir::Value{};
      });
    }
    static constexpr bool verify(const ir::Graph& g) { return !holds(g, ir::Op::tanh); }
  };
  auto f = compile(
      Cpu{}, [](auto x) { return tanh(x); }, in<f32, 64>, pass::after<"prune">(Dropped{}));
  const std::vector<f32> x = ramp(64);
  CHECK(f(x).to_vector() == x);
}

TEST_CASE("user_pass: explain() and profile() show what runs behind the passes") {
  auto f = compile(
      Cpu{}, [](auto x) { return tanh(x) * 2; }, in<f32, 64>,
      pass::after<"prune">(Exchanged<ir::Op::tanh, ir::Op::sin>{}));
  CHECK(f.explain().find("(64,): sin, mul") != std::string::npos);
  CHECK(f.profile().find("map  (64,)") != std::string::npos);
  auto trainer = make_trainer<Net>(Cpu{}, loss, in<f32, 16, 64>, optim::SGD{.lr = 0.25f},
                                   pass::after<"prune">(Exchanged<ir::Op::tanh, ir::Op::sin>{}));
  CHECK(trainer.explain().find("sin") != std::string::npos);
  CHECK(trainer.explain().find("tanh") == std::string::npos);
}
