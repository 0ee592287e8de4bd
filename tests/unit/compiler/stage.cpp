#include "weft/compiler/stage.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "weft/compiler/pipeline.hpp"
#include "weft/weft.hpp"

using namespace weft;
namespace c = weft::compiler;

namespace {

struct Net {
  nn::Linear<64, 32> fc1;
  nn::Linear<32, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};
constexpr auto loss = [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); };
using Step = train::StepSource<Net, decltype(loss), train::Options<optim::AdamW>, true,
                               Input<f32, Shape<16, 64>>, Input<i32, Shape<16>>>;

// The words of an image.
std::vector<u64> words_of(const c::Module& m) {
  std::vector<u64> words(1 << 20);
  WordWriter w(words.data(), 1 << 20);
  c::PartOf<c::Part::image>::write(w, m);
  words.resize(static_cast<std::size_t>(w.size()));
  return words;
}
template <class Stage>
std::vector<u64> kept() {
  return {Kept<Stage>::data, Kept<Stage>::data + Kept<Stage>::size};
}

// The same passes in pieces of a few nodes, and of one kernel.
struct ClusterInPieces : c::Cluster {
  static constexpr int piece = 20;
};
struct LowerInPieces : c::Lower {
  static constexpr int piece = 1;
};
using InPieces = c::PassList<ClusterInPieces, c::Collect, c::PlanMemory, LowerInPieces, c::Link>;
using Pruned = c::through<Step, c::GraphPasses>;

}  // namespace

TEST_CASE("stage: constant evaluation leaves the words that the passes leave at run time") {
  CHECK(kept<c::through<Pruned, c::KernelPasses>>() == words_of(c::compile_graph(Step::graph())));
}

TEST_CASE("stage: a pass in many pieces leaves the same words") {
  CHECK(c::StageInput<ClusterInPieces, Pruned>::pieces > 3);
  CHECK(c::StageInput<LowerInPieces,
                      c::through<Pruned, c::PassList<c::Cluster, c::Collect, c::PlanMemory>>>::pieces > 3);
  CHECK(kept<c::through<Pruned, InPieces>>() == kept<c::through<Pruned, c::KernelPasses>>());
}
