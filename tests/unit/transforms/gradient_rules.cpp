#include <doctest/doctest.h>

#include <functional>

#include "support/gradcheck.hpp"
#include "weft/ir/along_axis.hpp"
#include "weft/ir/conv.hpp"
#include "weft/ir/dynamic_slice.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/math/pointwise.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/transforms/differentiate.hpp"

using namespace weft;
using namespace weft::testing;
using ir::Op;

namespace {

template <Op op>
GradCheck one(double low, double high) {
  return gradcheck([](auto x) { return decltype(x){ir::unary(op, x.value)}; }, point<3, 4>(low, high));
}
template <Op op>
GradCheck two(double low, double high, double low_b, double high_b) {
  return gradcheck([](auto x, auto y) { return decltype(x){ir::binary(op, x.value, y.value)}; },
                   point<3, 4>(low, high, 1), point<3, 4>(low_b, high_b, 2));
}
template <Op op>
GradCheck reduction() {
  return gradcheck(
      [](auto x) { return decltype(ReduceOp<Op::reduce_sum, true, 1>{}(x)){ir::reduce(op, x.value, 2u)}; },
      point<3, 4>(0.5, 2));
}
// An index tensor of shape (2, 3) with a value that comes twice.
ir::Value indices(ir::Builder& b) {
  const i64 extent[2]{2, 3};
  const ir::Value column{&b, b.leaf(Op::iota, DType::i64, ir::make_dims(2, extent), 1)};
  const ir::Value row{&b, b.leaf(Op::iota, DType::i64, ir::make_dims(2, extent), 0)};
  return column + row;
}

template <ir::Fold fold>
GradCheck running(double low, double high) {
  return gradcheck(
      [](auto x) {
        using X = decltype(x);
        return std::tuple{X{ir::scan(x.value, 1, false, fold)}, X{ir::scan(x.value, 2, true, fold)}};
      },
      point<3, 4, 2>(low, high, 5));
}
template <ir::Fold fold, class P>
GradCheck scattering(const P& p) {
  return gradcheck(
      [](auto x) {
        // columns that are hit twice, once and never, and one update that is skipped
        const ir::Value at = indices(*x.value.builder), odd = ir::constant_like(at, 3);
        const ir::Value some = ir::select(ir::binary(Op::eq, at, odd), ir::constant_like(at, 9), at - 1.0);
        const ir::Value joined = ir::binary(Op::fmod, some, ir::constant_like(some, 2));
        const ir::Value skipped =
            ir::select(ir::binary(Op::eq, some, ir::constant_like(at, 9)), some, joined);
        const ir::Value r = ir::scatter_reduce(skipped, x.value, 1, 5, fold);
        const ir::Value finite = ir::unary(Op::is_finite, r);
        return Expr<double, Shape<2, 5>>{ir::select(finite, r, ir::constant_like(r, 0))};
      },
      p);
}

// Row 1, and beyond the last column.
ir::BlockPlace beyond(ir::Value x, const Dims& block) {
  ir::BlockPlace place;
  ir::set_offset(place, x.dims(), block, 0, ir::constant(*x.builder, DType::i32, Dims{}, 1));
  ir::set_offset(place, x.dims(), block, 1, ir::constant(*x.builder, DType::i32, Dims{}, 9));
  return place;
}

struct Case {
  Op op;
  std::function<GradCheck()> check;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {Op::neg, [] { return one<Op::neg>(-2, 2); }},
      {Op::abs, [] { return one<Op::abs>(0.1, 2); }},
      {Op::exp, [] { return one<Op::exp>(-2, 2); }},
      {Op::expm1, [] { return one<Op::expm1>(-2, 2); }},
      {Op::log, [] { return one<Op::log>(0.5, 3); }},
      {Op::log1p, [] { return one<Op::log1p>(-0.4, 3); }},
      {Op::sqrt, [] { return one<Op::sqrt>(0.5, 3); }},
      {Op::rsqrt, [] { return one<Op::rsqrt>(0.5, 3); }},
      {Op::sin, [] { return one<Op::sin>(-3, 3); }},
      {Op::cos, [] { return one<Op::cos>(-3, 3); }},
      {Op::tan, [] { return one<Op::tan>(-1, 1); }},
      {Op::asin, [] { return one<Op::asin>(-0.8, 0.8); }},
      {Op::acos, [] { return one<Op::acos>(-0.8, 0.8); }},
      {Op::atan, [] { return one<Op::atan>(-3, 3); }},
      {Op::sinh, [] { return one<Op::sinh>(-2, 2); }},
      {Op::cosh, [] { return one<Op::cosh>(-2, 2); }},
      {Op::tanh, [] { return one<Op::tanh>(-2, 2); }},
      {Op::sigmoid, [] { return one<Op::sigmoid>(-4, 4); }},
      {Op::erf, [] { return one<Op::erf>(-2, 2); }},
      {Op::erfc, [] { return one<Op::erfc>(-2, 2); }},
      {Op::cast,
       [] {
         return gradcheck([](auto x) { return cast<double>(cast<float>(x)) * 3.0; }, point<3, 4>(-2, 2));
       }},
      {Op::add, [] { return two<Op::add>(-2, 2, -2, 2); }},
      {Op::sub, [] { return two<Op::sub>(-2, 2, -2, 2); }},
      {Op::mul, [] { return two<Op::mul>(-2, 2, -2, 2); }},
      {Op::div, [] { return two<Op::div>(-2, 2, 0.5, 2); }},
      {Op::pow, [] { return two<Op::pow>(0.5, 2, -2, 3); }},
      {Op::max, [] { return two<Op::max>(-2, -0.5, -0.4, 2); }},
      {Op::min, [] { return two<Op::min>(-2, -0.5, -0.4, 2); }},
      {Op::fmod, [] { return two<Op::fmod>(3.1, 3.9, 1.1, 1.4); }},
      {Op::atan2, [] { return two<Op::atan2>(0.3, 2, -2, -0.3); }},
      {Op::select,
       [] {
         return gradcheck(
             [](auto x, auto y) {
               return decltype(x){ir::select(ir::binary(Op::lt, x.value, ir::constant_like(x.value, 0.5)),
                                             x.value * 2.0, y.value)};
             },
             point<3, 4>(0.6, 2), point<3, 4>(-2, 2, 2));
       }},
      {Op::fma,
       [] {
         return gradcheck([](auto x, auto y, auto z) { return fma(x, y, z); }, point<3, 4>(-2, 2),
                          point<3, 4>(-2, 2, 2), point<4>(-2, 2, 3));
       }},
      {Op::broadcast,
       [] { return gradcheck([](auto x) { return expand<2, 3, 4>(x); }, point<3, 1>(-2, 2)); }},
      {Op::reshape, [] { return gradcheck([](auto x) { return reshape<6, 2>(x); }, point<3, 4>(-2, 2)); }},
      {Op::add_dependency,
       [] {
         return gradcheck(
             [](auto x) {
               return Expr<double, Shape<3, 4>>{ir::add_dependency((x * x).value, exp(x).value)};
             },
             point<3, 4>(-2, 2));
       }},
      {Op::permute,
       [] { return gradcheck([](auto x) { return permute<2, 0, 1>(x); }, point<2, 3, 4>(-2, 2)); }},
      {Op::slice,
       [] {
         return gradcheck(
             [](auto x) {
               const ir::Slice axes[3]{{1, 2}, {4, -1}, {5, -2}};  // steps of every sign
               const i64 extent[3]{2, 3, 3};
               return Expr<double, Shape<2, 3, 3>>{ir::slice(x.value, axes, ir::make_dims(3, extent))};
             },
             point<4, 5, 7>(-2, 2));
       }},
      {Op::pad,
       [] {
         return gradcheck(
             [](auto x) {
               const i64 widths[4]{1, 2, 3, -1};
               return Expr<double, Shape<6, 6>>{ir::pad(x.value, widths, 2)};
             },
             point<3, 4>(-2, 2));
       }},
      {Op::reduce_sum, [] { return reduction<Op::reduce_sum>(); }},
      {Op::reduce_max, [] { return reduction<Op::reduce_max>(); }},
      {Op::reduce_min, [] { return reduction<Op::reduce_min>(); }},
      {Op::reduce_prod, [] { return reduction<Op::reduce_prod>(); }},
      {Op::dot,
       [] {
         return gradcheck([](auto x, auto y) { return matmul(x, y); }, point<2, 3, 4>(-2, 2),
                          point<2, 4, 5>(-2, 2, 2));
       }},
      {Op::conv,
       [] {
         return gradcheck(
             [](auto x, auto w) {
               ir::ConvAxes axes;  // gaps in both operands, a crop, every stride, groups behind the outputs
               axes.spatial = 2;
               axes.axis[0] = {2, 1, 2, 3, 2};
               axes.axis[1] = {3, -1, 3, 2, 1};
               for (int k = 0; k < 3; ++k) axes.order[k] = 2 - k;
               return Expr<double, Shape<3, 2, 2, 4, 3>>{ir::conv(x.value, w.value, axes, DType::f64)};
             },
             point<2, 2, 2, 3, 5>(-2, 2), point<2, 3, 2, 2, 3>(-2, 2, 2));
       }},
      {Op::surrogate,
       [] {
         return gradcheck(
             [](auto x) {
               // exp(2 log x), differentiated as x^2
               const ir::Value twice = ir::unary(Op::exp, ir::unary(Op::log, x.value) * 2.0);
               return decltype(x){ir::surrogate(twice, x.value * x.value)};
             },
             point<3, 4>(0.5, 2));
       }},
      {Op::slope,
       [] {
         return gradcheck(
             [](auto x, auto y) {
               // x^2 y beside 3 x, the square differentiated by hand
               const ir::Value held = ir::unary(Op::stop_gradient, x.value * x.value * y.value);
               const ir::Value by_x = ir::slope(held, x.value, x.value * 2.0 * y.value);
               return decltype(x){ir::slope(by_x, y.value, x.value * x.value) + x.value * 3.0};
             },
             point<3, 4>(-2, 2), point<3, 4>(-2, 2, 2));
       }},
      {Op::take_rows,
       [] {
         return gradcheck(
             [](auto x) {
               return Expr<double, Shape<2, 3, 2>>{ir::take_rows(x.value, indices(*x.value.builder))};
             },
             point<5, 2>(-2, 2));
       }},
      {Op::scatter_add,
       [] {
         return gradcheck(
             [](auto x) {
               return Expr<double, Shape<5, 2>>{ir::scatter_add(indices(*x.value.builder), x.value, 5)};
             },
             point<2, 3, 2>(-2, 2));
       }},
      {Op::scan, [] { return running<ir::Fold::sum>(-2, 2); }},
      {Op::take_along_axis,
       [] {
         return gradcheck(
             [](auto x) {
               return Expr<double, Shape<2, 3>>{ir::take_along_axis(x.value, indices(*x.value.builder), 1)};
             },
             point<2, 5>(-2, 2));
       }},
      {Op::scatter_reduce, [] { return scattering<ir::Fold::sum>(point<2, 3>(-2, 2)); }},
      {Op::dynamic_slice,
       [] {
         return gradcheck(
             [](auto x) {
               const Dims block{2, {2, 3}};
               return Expr<double, Shape<2, 3>>{ir::dynamic_slice(x.value, block, beyond(x.value, block))};
             },
             point<4, 5>(-2, 2));
       }},
      {Op::dynamic_update_slice,
       [] {
         return gradcheck(
             [](auto x, auto y) {
               return Expr<double, Shape<4, 5>>{
                   ir::dynamic_update_slice(x.value, y.value, beyond(x.value, y.value.dims()))};
             },
             point<4, 5>(-2, 2), point<2, 3>(-2, 2, 2));
       }},
  };
  return all;
}

}  // namespace

TEST_CASE("gradient rules: every rule of the table agrees with finite differences") {
  for (const transforms::rules::Row& row : transforms::rules::table) {
    if (row.op == Op::f8_gradient) continue;  // gives no derivatives: its own test is below
    // of several ranks: unit/ops/nn/tensor_parallel.cpp
    if (row.op == Op::group_copy || row.op == Op::group_collective) continue;
    INFO("primitive ", ir::info(row.op).name);
    const Case* found = nullptr;
    for (const Case& c : cases())
      if (c.op == row.op) found = &c;
    REQUIRE_MESSAGE(found != nullptr, "a primitive has a gradient rule and no check");
    const GradCheck r = found->check();
    CHECK(r.has(row.op));
    CHECK(r.error <= 1e-7);
    CHECK(r.ok());
  }
}

TEST_CASE("gradient rules: contractions over every kind of axis") {
  // contracted axes first and last, batch axes in other places, several of each
  const auto contraction = [](ir::DotAxes axes, auto shape, auto a, auto b) {
    return gradcheck(
        [axes](auto x, auto y) {
          return Expr<double, decltype(shape)>{ir::dot(x.value, y.value, axes, DType::f64)};
        },
        a, b);
  };
  ir::DotAxes first;
  first.contracted = 1;
  CHECK(contraction(first, Shape<4, 2>{}, point<3, 4>(-2, 2), point<3, 2>(-2, 2, 2)).ok());
  ir::DotAxes two_axes;
  two_axes.contracted = 2;
  two_axes.contracted_a[0] = 2, two_axes.contracted_b[0] = 0, two_axes.contracted_a[1] = 0,
  two_axes.contracted_b[1] = 2;
  CHECK(contraction(two_axes, Shape<3, 5>{}, point<2, 3, 4>(-2, 2), point<4, 5, 2>(-2, 2, 2)).ok());
  ir::DotAxes batch;
  batch.batch = 1, batch.contracted = 1;
  batch.batch_a[0] = 1, batch.batch_b[0] = 2, batch.contracted_a[0] = 0, batch.contracted_b[0] = 0;
  CHECK(contraction(batch, Shape<3, 4, 5>{}, point<2, 3, 4>(-2, 2), point<2, 5, 3>(-2, 2, 2)).ok());
  ir::DotAxes outer;
  CHECK(contraction(outer, Shape<2, 3, 4>{}, point<2, 3>(-2, 2), point<4>(-2, 2, 2)).ok());
}

TEST_CASE("gradient rules: a product with zeros") {
  Point<Shape<4, 3>> p;
  p.values = {1, 2, 3, 0, 2, 3, 0, 2, 0, 1.5, -1, 2};
  CHECK(gradcheck([](auto x) { return prod<1>(x); }, p).ok());
}

TEST_CASE("gradient rules: a slope has derivatives of every order") {
  // sin with its derivative given as cos: the third derivative is -cos
  ir::Builder b;
  const i64 extent[1]{3};
  const ir::Value x{&b, b.leaf(Op::input, DType::f64, ir::make_dims(1, extent), 0)};
  ir::Value y = ir::slope(ir::unary(Op::stop_gradient, ir::unary(Op::sin, x)), x, ir::unary(Op::cos, x));
  List<int> wrt;
  wrt.push(x.id);
  for (int order = 0; order < 3; ++order) y = transforms::differentiate(y, ir::constant_like(y, 1), wrt)[0];
  b.graph.outputs.push(y.id);
  Leaves leaves;
  leaves.inputs = {{0, 0.5, -2}};
  const std::vector<Array> third = interpret(b.graph, leaves);
  for (std::size_t k = 0; k < 3; ++k) CHECK(third[0][k] == doctest::Approx(-std::cos(leaves.inputs[0][k])));
}

TEST_CASE("gradient rules: a product over several axes, with zeros and infinities") {
  Point<Shape<2, 3, 2>> p;
  p.values = {1, 2, 3, 0, 2, 3, -1, 2, 0, 1.5, 0, 2};
  CHECK(gradcheck([](auto x) { return prod<0, 2>(x); }, p).ok());
  CHECK(gradcheck([](auto x) { return prod<1, 2>(x); }, p).ok());
}

TEST_CASE("gradient rules: equal extrema share the gradient") {
  // torch: amax([1, 3, 3]).backward() gives [0, 0.5, 0.5]; maximum(2, 2) gives 0.5 to each
  ir::Builder b;
  const i64 extent[1]{3};
  const ir::Value x{&b, b.leaf(Op::input, DType::f64, ir::make_dims(1, extent), 0)},
      y{&b, b.leaf(Op::input, DType::f64, ir::make_dims(1, extent), 1)};
  const ir::Value row = ir::reduce(Op::reduce_max, x, 1u), larger = ir::binary(Op::max, x, y);
  List<int> wrt;
  wrt.push(x.id);
  b.graph.outputs.push(transforms::differentiate(row, ir::constant_like(row, 1), wrt)[0].id);
  b.graph.outputs.push(transforms::differentiate(larger, ir::constant_like(larger, 1), wrt)[0].id);
  Leaves leaves;
  leaves.inputs = {{1, 3, 3}, {2, 3, 1}};
  const std::vector<Array> g = interpret(b.graph, leaves);
  CHECK(g[0] == Array{0, 0.5, 0.5});
  CHECK(g[1] == Array{0, 0.5, 1});
}

TEST_CASE("gradient rules: running products, extrema and logarithms, in both directions") {
  CHECK(running<ir::Fold::prod>(0.5, 2).ok());
  CHECK(running<ir::Fold::max>(-2, 2).ok());
  CHECK(running<ir::Fold::min>(-2, 2).ok());
  CHECK(running<ir::Fold::logaddexp>(-3, 3).ok());
  Point<Shape<4, 4>> zeros;
  zeros.values = {1, 2, 3, 4, 0, 2, 3, 1.5, 2, 0, 3, 0, 0.5, 2, -1, 0};
  CHECK(
      gradcheck([](auto x) { return decltype(x){ir::scan(x.value, 1, false, ir::Fold::prod)}; }, zeros).ok());
  CHECK(
      gradcheck([](auto x) { return decltype(x){ir::scan(x.value, 1, true, ir::Fold::prod)}; }, zeros).ok());
}

TEST_CASE("gradient rules: scattered products and extrema") {
  CHECK(scattering<ir::Fold::prod>(point<2, 3>(0.5, 2)).ok());
  CHECK(scattering<ir::Fold::max>(point<2, 3>(-2, 2)).ok());
  CHECK(scattering<ir::Fold::min>(point<2, 3>(-2, 2)).ok());
  Point<Shape<2, 3>> zeros;
  zeros.values = {0, 2, 3, 1.5, 0, 0};
  CHECK(scattering<ir::Fold::prod>(zeros).ok());
}

TEST_CASE("gradient rules: gradients of gradients of what works along an axis") {
  CHECK(gradcheck(
            [](auto x) {
              const ir::Value y = ir::scan(x.value, 1, false, ir::Fold::prod);
              List<int> wrt;
              wrt.push(x.value.id);
              return decltype(x){transforms::differentiate(y, ir::constant_like(y, 1), wrt)[0]};
            },
            point<2, 3>(0.5, 2))
            .ok());
}

TEST_CASE("gradient rules: f8_gradient rounds the gradient to e5m2 at its scale, which gets the largest") {
  // 1.125 lies between 1 and 1.25 and goes to the even one; 3e4 times 2 is more than the largest, 57344
  ir::Builder b;
  const i64 extent[1]{6};
  const auto input = [&](const Dims& d, u64 k) {
    const ir::Value x{&b, b.leaf(Op::input, DType::f32, d, k)};
    b.graph.inputs.push(x.id);
    return x;
  };
  const ir::Value x = input(ir::make_dims(1, extent), 0), scale = input(Dims{}, 1),
                  g = input(ir::make_dims(1, extent), 2);
  List<int> wrt;
  wrt.push(x.id);
  wrt.push(scale.id);
  for (const ir::Value v : transforms::differentiate(ir::f8_gradient(x, scale), g, wrt))
    b.graph.outputs.push(v.id);
  Leaves leaves;
  leaves.inputs = {Array(6, 1.0), {2}, {0.5625, -0.8, 3, 0, -3e4, 1e-9}};
  const std::vector<Array> found = interpret(b.graph, leaves);
  CHECK(found[0] == Array{1, -1.5, 6, 0, -57344, 0});
  CHECK(found[1] == Array{3e4});
}
