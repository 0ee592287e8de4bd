#include "weft/exec/callable.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "weft/weft.hpp"

using namespace weft;

namespace {

using X = Expr<f32, Shape<4>>;

struct Exact {
  constexpr X operator()(X x) const { return x; }
};
struct Forward {
  constexpr auto forward(auto x) const { return x; }
};
struct Both {
  constexpr auto forward(auto x) const { return x; }
  constexpr auto operator()(auto x) const { return forward(x); }
};
struct Neither {
  int forward = 0;
};
struct Layers {
  Exact forward, backward;
};
struct Weights {
  nn::Param<f32, Shape<4>, nn::init::Constant<2>> scale;
  nn::Param<f32, Shape<4>, nn::init::Constant<3>> shift;
  constexpr auto forward(auto x) const { return x * scale + shift; }
};
struct CallsForward {  // no mistake, so whatever it does with the model must compile
  constexpr auto operator()(const auto& m, auto x) const {
    const auto g = grad([x](const auto& n) { return sum(n.forward(x)); })(m);
    return m.forward(x) + g.scale + std::get<1>(nn::parameters(m));
  }
};

static_assert(exec::ForwardOnly<Forward>);
static_assert(!exec::ForwardOnly<Both>);
static_assert(!exec::ForwardOnly<Layers>);
static_assert(exec::ForwardOnly<Weights>);
static_assert(exec::calls_operator<Weights, CallsForward, Input<f32, Shape<4>>>());

}  // namespace

TEST_CASE("callable: a function that calls forward by name is no mistake") {
  auto f = compile<Weights>(Cpu{}, CallsForward{}, in<f32, 4>);
  const std::vector<float> x{1, 2, 3, 4};
  const auto y = f(x);  // forward, its gradient by scale, shift
  for (std::size_t i = 0; i < 4; ++i) CHECK(y(i) == (2 * x[i] + 3) + x[i] + 3);
}
