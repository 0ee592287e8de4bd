#include "weft/compiler/pipeline.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/random_graph.hpp"
#include "weft/compiler/verify.hpp"
#include "weft/weft.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

struct Net {
  nn::Linear<64, 32> fc1;
  nn::LayerNorm<32> norm;
  nn::Linear<32, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(norm(fc1(x)))); }
};
constexpr auto loss = [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); };
using Step = train::StepSource<Net, decltype(loss), train::Options<optim::AdamW>, true,
                               Input<f32, Shape<16, 64>>, Input<i32, Shape<16>>>;

}  // namespace

TEST_CASE("pipeline: each pass runs once, in the order of the list, and leaves what its verifier accepts") {
  std::string names;
  compiler::compile_graph(Step::graph(), [&](auto pass, const compiler::Module& m) {
    names += std::string(pass.name) + ' ';
    const ir::Fault fault = compiler::verify(pass, m);
    CHECK_MESSAGE(!fault, pass.name, ": ", ir::to_text(fault, m.graph));
  });
  CHECK(names == "prune cluster collect plan_memory lower link ");
}

TEST_CASE("pipeline: verifiers accept every pass over random graphs") {
  for (u32 seed = 0; seed < 2000; ++seed) {
    const RandomGraph random(seed, {.steps = 24});
    std::string first;
    compiler::compile_graph(random.graph(), [&](auto pass, const compiler::Module& m) {
      const ir::Fault fault = compiler::verify(pass, m);
      if (fault && first.empty()) first = std::string(pass.name) + ": " + ir::to_text(fault, m.graph);
    });
    CHECK_MESSAGE(first == "", "seed ", seed);
  }
}
