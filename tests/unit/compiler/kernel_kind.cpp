#include "weft/compiler/kernel_kind.hpp"

#include <doctest/doctest.h>

#include <string>

#include "weft/weft.hpp"

using namespace weft;

namespace {

// The kinds of a program's fused kernels, in order.
template <class F, class... Inputs>
std::string kinds(F) {
  const compiler::Module m = compiler::plan_graph(exec::FunctionSource<F, Inputs...>::graph());
  std::string out;
  for (int k = 0; k < m.fusion.kernels.size(); ++k)
    if (m.fusion.kernels[k].opaque < 0 && m.fusion.kernels[k].body.size > 0)
      out += compiler::kind_of(m.graph, m.fusion, m.fusion.kernels[k], m.plan.tilings[k].segments >= 0) + ' ';
  return out;
}
using X = Input<f32, Shape<64, 10>>;

}  // namespace

TEST_CASE("kernel_kind: by the axes that are reduced") {
  CHECK(kinds<decltype([](auto x) { return exp(x); }), X>({}) == "map ");
  CHECK(kinds<decltype([](auto x) { return softmax<1>(x); }), X>({}) == "row ");
  CHECK(kinds<decltype([](auto x) { return sum<0>(x); }), X>({}) == "column ");
  CHECK(kinds<decltype([](auto x) { return sum<>(x); }), X>({}) == "all ");
}

TEST_CASE("kernel_kind: several at once, in one order") {
  CHECK(kinds<decltype([](auto x) {
                return std::tuple{sum<0>(x), sum<1>(x), sum<>(x)};
              }),
              X>({}) == "row+column+all ");
}
