#include "weft/kernel_ir/freeze.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/random_graph.hpp"
#include "weft/kernel_ir/collect.hpp"
#include "weft/transforms/prune.hpp"

using namespace weft;

namespace {

std::vector<u64> words_of(const ir::Graph& g, const kernel_ir::Fusion& f) {
  WordWriter count(nullptr, 0);
  kernel_ir::write(count, g, f);
  std::vector<u64> words(static_cast<std::size_t>(count.size()));
  WordWriter w(words.data(), count.size());
  kernel_ir::write(w, g, f);
  return words;
}

}  // namespace

TEST_CASE("freeze: kernels half formed go on as if they had never been words, wherever they are cut") {
  for (u32 seed = 0; seed < 300; ++seed) {
    const testing::RandomGraph random(seed, {.steps = 24, .state = seed % 2 == 0});
    const ir::Graph g = transforms::prune(random.graph());
    kernel_ir::Clustering whole;
    kernel_ir::Fuser(g, whole).run(g.nodes.size());
    for (const int piece : {1, 3, 10}) {
      kernel_ir::Clustering clustering;
      while (true) {
        kernel_ir::Fuser(g, clustering).run(piece);
        if (clustering.next == g.nodes.size()) break;
        std::vector<u64> words(100000);
        WordWriter w(words.data(), 100000);
        kernel_ir::write(w, g, clustering);
        REQUIRE(w.size() < 100000);
        kernel_ir::Clustering read;
        kernel_ir::read_clustering(words.data(), g, read);
        clustering = read;
      }
      CAPTURE(seed);
      CAPTURE(piece);
      REQUIRE(words_of(g, clustering.fusion) == words_of(g, whole.fusion));
    }
  }
}
