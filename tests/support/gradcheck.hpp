#pragma once
// Gradients against finite differences in f64. The function is traced at run time; its gradients come from
// the same rules that compiled programs use, and are evaluated both plainly and through fusion, memory plan
// and lowering.

#include <cmath>
#include <random>
#include <tuple>

#include "support/leaves.hpp"
#include "weft/ops/core/expr.hpp"

namespace weft::testing {

// A tensor of the type at which a gradient is checked: random in [low, high].
template <class S>
struct Point {
  using shape = S;
  Array values;
};
template <i64... D>
Point<Shape<D...>> point(double low, double high, u32 seed = 1) {
  std::mt19937 random(seed * 977 + static_cast<u32>(Shape<D...>::size));
  Point<Shape<D...>> p;
  for (i64 k = 0; k < Shape<D...>::size; ++k) {
    const double u = static_cast<double>(static_cast<u32>(random())) / 4294967296.0;
    // multiples of 2^-12, so that casts to f32 lose nothing
    p.values.push_back(std::floor((low + (high - low) * u) * 4096) / 4096);
  }
  return p;
}

struct GradCheck {
  double error = 0;    // greatest difference between gradient and finite difference, relative to max(1, |g|)
  double lowered = 0;  // the same between plain evaluation and the lowered program
  bool reached = false;  // a gradient came out for every input
  u64 ops[2]{};          // the primitives through which gradients flowed
  int launches = 0;
  bool has(ir::Op op) const {
    return (ops[static_cast<int>(op) / 64] >> (static_cast<int>(op) % 64) & 1) != 0;
  }
  bool ok(double tolerance = 1e-7) const { return reached && error <= tolerance && lowered <= 1e-10; }
};

namespace detail {

template <class R>
void weighted_sum(ir::Builder& b, const R& r, ir::Value& loss, std::vector<Array>& inputs) {
  if constexpr (requires { std::tuple_size<R>::value; }) {
    std::apply([&](const auto&... e) { (weighted_sum(b, e, loss, inputs), ...); }, r);
  } else {
    const ir::Value v = weft::detail::traced(b, r).value;
    const Dims d = v.dims();
    const ir::Value weights{&b, b.leaf(ir::Op::input, DType::f64, d, static_cast<u64>(inputs.size()))};
    b.graph.inputs.push(weights.id);
    std::mt19937 random(static_cast<u32>(inputs.size()) + 5);
    Array w;
    for (i64 k = 0; k < d.size(); ++k) w.push_back(0.5 + static_cast<double>(random() % 1000) / 1000);
    inputs.push_back(w);
    const ir::Value total = ir::reshape(
        ir::reduce(ir::Op::reduce_sum, ir::cast(v, DType::f64) * weights, ir::all_axes(d.rank)), Dims{});
    loss = loss ? loss + total : total;
  }
}

// Of a traced loss: its gradients by the inputs that `leaves` has values of first.
GradCheck gradcheck_traced(ir::Builder& b, const ir::Value& loss, int points, Leaves& leaves);

}  // namespace detail

// Checks the gradients of sum(f(points...) * weights) for every point. `step`: of the five-point differences;
// their error is step^4 times the fifth derivative, and rounding over step.
template <class F, class... S>
GradCheck gradcheck(const F& f, const Point<S>&... points) {
  ir::Builder b;
  b.graph.scalar_count = 4;
  Leaves leaves;
  leaves.seed = 3;
  leaves.inputs = {points.values...};
  const auto input = [&]<class X>(X) {
    const int node = b.leaf(ir::Op::input, DType::f64, X::value, static_cast<u64>(b.graph.inputs.size()));
    b.graph.inputs.push(node);
    return Expr<double, X>{ir::Value{&b, node}};
  };
  ir::Value loss;
  const std::tuple<Expr<double, S>...> arguments{input(S{})...};
  detail::weighted_sum(b, std::apply(f, arguments), loss, leaves.inputs);
  return detail::gradcheck_traced(b, loss, static_cast<int>(sizeof...(S)), leaves);
}

}  // namespace weft::testing
