// expect: Mine
// expect: Mine
// first-error: a pass of one's own left a graph with other inputs, results or assignments,
#include "weft/weft.hpp"
using namespace weft;

struct Mine {
  static constexpr ir::Graph run(const ir::Graph& g) {
    ir::Graph r = g;
#ifndef WEFT_FIXED
    r.outputs.clear();
#endif
    return r;
  }
  static constexpr bool verify(const ir::Graph& g) { return g.nodes.size() > 0; }
};

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return exp(x) * 2; }, in<f32, 64>, pass::after<"trace">(Mine{}));
  f(std::vector<f32>(64));
}
