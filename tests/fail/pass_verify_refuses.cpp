// expect: Mine
// expect: Mine
// first-error: a pass of one's own left a graph that its own verify refuses
#include "weft/weft.hpp"
using namespace weft;

struct Mine {
  static constexpr ir::Graph run(const ir::Graph& g) {
    ir::Graph r = g;
#ifndef WEFT_FIXED
    r.nodes[r.outputs[0]].op = ir::Op::add;
#endif
    return r;
  }
  static constexpr bool verify(const ir::Graph& g) { return g.nodes[g.outputs[0]].op == ir::Op::mul; }
};

int main() {
  auto f = compile(
      Cpu{}, [](auto x) { return exp(x) * 2; }, in<f32, 64>, pass::after<"trace">(Mine{}));
  f(std::vector<f32>(64));
}
