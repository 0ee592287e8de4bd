#include "weft/ir/scopes.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "support/watched.hpp"
#include "weft/compiler/pipeline.hpp"
#include "weft/interpreter.hpp"
#include "weft/weft.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

struct Mlp {
  nn::Linear<8, 32> fc;
  nn::Linear<32, 8> proj;
  constexpr auto operator()(auto x) const { return proj(gelu(fc(x))); }
};
struct Block {
  nn::LayerNorm<8> norm;
  nn::Linear<8, 8> attn;
  Mlp mlp;
  constexpr auto operator()(auto x) const {
    auto y = x + attn(norm(x));
    return y + mlp(y);
  }
};
struct Written {
  nn::Embedding<50, 8> wte;
  std::array<Block, 2> h;
  nn::Linear<8, 50> head;
  constexpr auto operator()(auto t) const { return head(h[1](h[0](wte(t)))); }
};
struct Stacked {
  nn::Embedding<50, 8> wte;
  nn::Stack<Block, 3> h;
  nn::Linear<8, 50> head;
  constexpr auto operator()(auto t) const { return head(h(wte(t))); }
};
constexpr auto classify_tokens = [](const auto& m, auto x, auto label) { return cross_entropy(m(x), label); };

// "dot h.0.mlp.fc", of every node of a graph that has a scope, those of loops' bodies included.
void collect(const ir::Graph& g, const ir::Scopes& scopes, std::multiset<std::string>& all) {
  for (int i = 0; i < g.nodes.size(); ++i) {
    const ir::Op op = g.nodes[i].op;
    if (!scopes[i].empty()) all.insert(std::string(ir::info(op).name) + " " + scopes[i]);
    if (op != ir::Op::loop) continue;
    const ir::Graph body = ir::loop_body(g, i);
    collect(body, scopes.of_body(i, body), all);
  }
}
template <class M, class... O>
std::multiset<std::string> scopes_of_step() {
  using Source = train::StepSource<M, decltype(classify_tokens), train::Options<optim::AdamW, O...>, true,
                                   Input<i32, Shape<4>>, Input<i32, Shape<4>>>;
  const ir::Graph g = compiler::plan_graph(Source::graph()).graph;
  std::multiset<std::string> all;
  collect(g, ir::Scopes(g, &exec::state_name<Source>), all);
  return all;
}

}  // namespace

TEST_CASE("scopes: what two paths have in common") {
  CHECK(ir::common_path("h.0.mlp.fc", "h.0.mlp.proj") == "h.0.mlp");
  CHECK(ir::common_path("h.0", "h.0.mlp") == "h.0");
  CHECK(ir::common_path("h.0.mlp", "h.0") == "h.0");
  CHECK(ir::common_path("h.1", "h.10") == "h");
  CHECK(ir::common_path("fc1", "fc2") == "");
  CHECK(ir::common_path("fc1", "fc10") == "");
  CHECK(ir::common_path("", "fc") == "");
  CHECK(ir::common_path("fc", "fc") == "fc");
}

TEST_CASE("scopes: of a step") {
  const std::multiset<std::string> all = scopes_of_step<Written>();
  for (const std::string block : {"h.0", "h.1"}) {
    CAPTURE(block);
    CHECK(all.count("dot " + block + ".attn") == 3);  // forward, and the gradients of input and weight
    CHECK(all.count("dot " + block + ".mlp.fc") == 3);
    CHECK(all.count("dot " + block + ".mlp.proj") == 3);
    CHECK(all.count("erf " + block + ".mlp") > 0);     // between two modules: of the one around both
    CHECK(all.count("rsqrt " + block + ".norm") > 0);  // made without its parameters, and read by them alone
  }
  CHECK(all.count("take_rows wte") == 1);
  CHECK(all.count("scatter_add wte") == 1);
  CHECK(all.count("dot head") == 3);
  CHECK(all.count("log after head") + all.count("log head") == 1);
  CHECK(all.count("sqrt update") > 0);
  CHECK(all.count("flat_concat update") == 1);
}

TEST_CASE("scopes: of the blocks of a Stack") {
  const std::multiset<std::string> all = scopes_of_step<Stacked>();
  CHECK(all.count("dot h.*.attn") == 3);
  CHECK(all.count("dot h.*.mlp.fc") == 3);
  CHECK(all.count("dot h.*.mlp.proj") == 3);
  CHECK(all.count("erf h.*.mlp") > 0);
  CHECK(all.count("loop h.*") == 2);
  CHECK(all.count("dot head") == 3);
}

TEST_CASE("scopes: of weights that are cast together") {
  const std::multiset<std::string> plain = scopes_of_step<Written>(),
                                   narrow = scopes_of_step<Written, precision::BF16>();
  for (const char* const dot : {"dot h.0.attn", "dot h.0.mlp.fc", "dot h.1.mlp.proj", "dot head"}) {
    CAPTURE(dot);
    CHECK(plain.count(dot) == 3);
    CHECK(narrow.count(dot) == 3);
  }
}

TEST_CASE("scopes: of several nodes") {
  using Source = exec::ModelSource<Written, decltype([](const auto& m, auto x) { return m(x); }), false,
                                   Input<i32, Shape<4>>>;
  const ir::Graph g = Source::graph();
  const ir::Scopes scopes(g, &exec::state_name<Source>);
  List<int> dots, gelus;
  for (int i = 0; i < g.nodes.size(); ++i) {
    if (g.nodes[i].op == ir::Op::dot) dots.push(i);
    if (g.nodes[i].op == ir::Op::erf) gelus.push(i);
  }
  REQUIRE(dots.size() == 7);
  REQUIRE(gelus.size() == 2);
  const auto of = [&](const auto&... nodes) {
    List<int> list;
    (list.push(nodes), ...);
    return scopes.of(list);
  };
  CHECK(of() == "");
  CHECK(of(dots[1]) == "h.0.mlp.fc");
  CHECK(of(dots[1], dots[1]) == "h.0.mlp.fc");
  CHECK(of(dots[1], dots[2]) == "h.0.mlp.fc, h.0.mlp.proj");
  CHECK(of(dots[0], dots[1], dots[2]) == "h.0");
  CHECK(of(dots[0], dots[1], dots[6]) == "h.0.attn ... head");
  CHECK(of(dots[1], gelus[0]) == "h.0.mlp.fc, h.0.mlp");
  CHECK(ir::in_scope("h.0") == " in h.0");
  CHECK(ir::in_scope("after fc1") == " after fc1");
  CHECK(ir::in_scope("") == "");
}

TEST_CASE("scopes: without state there is nothing to tell") {
  auto f = compile(
      Interpreter{.visit = [](const NodeValue& v) { CHECK(v.scope() == ""); }}, [](auto x) { return exp(x); },
      in<f32, 3>);
  f(std::vector<f32>{1, 2, 3});
}

TEST_CASE("scopes: a NaN is found in its block") {
  auto trainer = make_trainer<Stacked>(Interpreter{}, classify_tokens, in<i32, 4>, in<i32, 4>,
                                       optim::SGD{.lr = 0.1f}, seed{1}, check::finite);
  const std::vector<i32> x{1, 2, 3, 4};
  CHECK(said([&] { trainer.step(x, x); }) == "none");
  trainer.model().get<"h.2.mlp.fc.weight">()[5] = not_a_number;
  const std::string text = said([&] { trainer.step(x, x); });
  CHECK(has(text, "loop, trip 2: node "));
  CHECK(has(text, ", dot (4, 32) of f32 in h.2.mlp.fc: element "));
  CHECK(has(text, "it read nan at (0, 5) of h.2.mlp.fc.weight (32, 8) of f32"));
}

TEST_CASE("scopes: a kernel at fault is found in its module") {
  auto trainer = make_trainer<Written>(Cpu{}, classify_tokens, in<i32, 4>, in<i32, 4>, optim::SGD{.lr = 0.1f},
                                       seed{1}, check::finite);
  const std::vector<i32> x{1, 2, 3, 4};
  CHECK(said([&] { trainer.step(x, x); }) == "none");
  trainer.model().get<"h.1.mlp.fc.weight">()[5] = not_a_number;
  CHECK(has(said([&] { trainer.step(x, x); }), " in h.1.mlp.fc: element "));

  auto stacked = make_trainer<Stacked>(Cpu{}, classify_tokens, in<i32, 4>, in<i32, 4>, optim::SGD{.lr = 0.1f},
                                       seed{1}, check::finite);
  CHECK(said([&] { stacked.step(x, x); }) == "none");
  stacked.model().get<"h.2.mlp.fc.weight">()[5] = not_a_number;
  const std::string text = said([&] { stacked.step(x, x); });
  CHECK(has(text, " in h.2.mlp.fc: element "));
  CHECK(has(text, "it read nan at (0, 5) of h.2.mlp.fc.weight (32, 8) of f32"));
}

namespace {
std::multiset<std::string> seen;
}
TEST_CASE("scopes: a visitor is told") {
  auto f = compile<Stacked>(
      Interpreter{.visit =
                      [](const NodeValue& v) {
                        if (std::string_view(v.op) == "dot") seen.insert(v.scope());
                      }},
      [](const auto& m, auto x) { return m(x); }, in<i32, 4>, seed{1});
  f(std::vector<i32>{1, 2, 3, 4});
  CHECK(seen == std::multiset<std::string>{"h.0.attn", "h.0.mlp.fc", "h.0.mlp.proj", "h.1.attn", "h.1.mlp.fc",
                                           "h.1.mlp.proj", "h.2.attn", "h.2.mlp.fc", "h.2.mlp.proj", "head"});
}
