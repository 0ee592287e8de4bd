#include "weft/ir/value.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "support/interpret_graph.hpp"

using namespace weft;
using ir::Op;
using ir::Value;

namespace {
Value input(ir::Builder& b, DType t, const Dims& d, u64 number) {
  return {&b, b.leaf(Op::input, t, d, number)};
}
}  // namespace

TEST_CASE("value: shapes of movement, reduction and take_rows") {
  ir::Builder b;
  const Value x = input(b, DType::f32, make_dims<2, 3, 4>(), 0);
  CHECK(ir::reduce(Op::reduce_sum, x, 0b101u).dims() == make_dims<1, 3, 1>());
  CHECK(ir::reduce(Op::argmax, x, 0b100u).dtype() == DType::i64);
  const i64 widths[6]{0, 1, 2, 0, 0, 0};
  CHECK(ir::pad(x, widths, 0).dims() == make_dims<3, 5, 4>());
  const i64 crop[6]{-1, 0, 0, -1, 1, 1};
  CHECK(ir::pad(x, crop, 0).dims() == make_dims<1, 2, 6>());
  CHECK(ir::take_rows(x, input(b, DType::i64, make_dims<5, 6>(), 1)).dims() == make_dims<5, 6, 3, 4>());
  CHECK((x + input(b, DType::f32, make_dims<3, 1>(), 2)).dims() == make_dims<2, 3, 4>());
}

TEST_CASE("value: sums of small dtypes work in a wide one and round once") {
  ir::Builder b;
  const Value x = input(b, DType::bf16, make_dims<4096>(), 0);
  const Value total = ir::reduce(Op::reduce_sum, x, 1u);
  CHECK(total.dtype() == DType::bf16);
  CHECK(total.in(0).dtype() == DType::f32);
  b.graph.outputs.push(total.id);
  testing::Leaves leaves;
  leaves.inputs = {testing::Array(4096, 1.0)};  // one by one, sums in bf16 would stop at 256
  CHECK(testing::interpret(b.graph, leaves)[0][0] == 4096);
}

TEST_CASE("value: extents of 0 make constants, which no kernel computes") {
  ir::Builder b;
  const Value none = input(b, DType::f32, make_dims<3, 0>(), 0),
              row = input(b, DType::f32, make_dims<0>(), 1);
  const auto is_full = [](Value v, const Dims& d, double number) {
    return v.is_constant() && v.constant() == number && v.dims() == d;
  };
  CHECK(is_full(ir::binary(Op::max, none, row), make_dims<3, 0>(), 0));
  CHECK(is_full(ir::unary(Op::exp, none), make_dims<3, 0>(), 0));
  CHECK(is_full(ir::reduce(Op::reduce_max, none, 1u), make_dims<1, 0>(), 0));
  CHECK(is_full(ir::reduce(Op::reduce_sum, none, 2u), make_dims<3, 1>(), 0));
  CHECK(is_full(ir::reduce(Op::reduce_prod, none, 2u), make_dims<3, 1>(), 1));
  CHECK(is_full(ir::reduce(Op::reduce_sum, none, 3u), make_dims<1, 1>(), 0));
  const i64 widths[4]{0, 1, 2, 1};
  CHECK(is_full(ir::pad(none, widths, 7), make_dims<4, 3>(), 7));
  ir::DotAxes axes;
  axes.contracted = 1;
  axes.contracted_a[0] = 1, axes.contracted_b[0] = 0;
  CHECK(is_full(ir::dot(none, input(b, DType::f32, make_dims<0, 4>(), 2), axes, DType::f64),
                make_dims<3, 4>(), 0));
}

TEST_CASE("value: a contraction gives the same numbers in whatever order its axes are named") {
  // sum over i, j of a[i, j, m] b[j, i]
  const auto product = [](bool swapped) {
    ir::Builder b;
    const Value a = input(b, DType::f64, make_dims<2, 3, 2>(), 0),
                c = input(b, DType::f64, make_dims<3, 2>(), 1);
    ir::DotAxes axes;
    axes.contracted = 2;
    axes.contracted_a[swapped] = 0, axes.contracted_b[swapped] = 1;
    axes.contracted_a[!swapped] = 1, axes.contracted_b[!swapped] = 0;
    const Value r = ir::dot(a, c, axes, DType::f64);
    CHECK(r.dims() == make_dims<2>());
    b.graph.outputs.push(r.id);
    testing::Leaves leaves;
    leaves.inputs = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {1, 2, 3, 4, 5, 6}};
    return testing::interpret(b.graph, leaves)[0];
  };
  // numpy.einsum("ijm,ji->m", arange(1, 13).reshape(2, 3, 2), arange(1, 7).reshape(3, 2))
  CHECK(product(false) == testing::Array{151, 172});
  CHECK(product(true) == testing::Array{151, 172});
}

TEST_CASE("value: a sum over a picture and the batch sums rows first, others go in one") {
  ir::Builder b;
  const Value x = input(b, DType::f32, make_dims<5, 3, 8, 1, 4>(), 0);
  const Value over = ir::reduce(Op::reduce_sum, x, 0b11101u);
  CHECK(over.dims() == make_dims<1, 3, 1, 1, 1>());
  CHECK(over.in(0).dims() == make_dims<5, 3, 1, 1, 1>());
  CHECK(ir::reduce(Op::reduce_sum, x, 0b11100u).in(0).id == x.id);  // rows alone
  CHECK(ir::reduce(Op::reduce_sum, x, 0b11111u).in(0).id == x.id);  // everything
  CHECK(ir::reduce(Op::reduce_sum, x, 0b10001u).in(0).id == x.id);  // rows too short
  CHECK(ir::reduce(Op::reduce_max, x, 0b11101u).in(0).id == x.id);  // ties of a maximum share its gradient

  b.graph.outputs.push(over.id);
  testing::Leaves leaves;
  testing::Array counted(5 * 3 * 8 * 4);
  for (std::size_t i = 0; i < counted.size(); ++i) counted[i] = static_cast<double>(i);
  leaves.inputs = {counted};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    double sum = 0;
    for (std::size_t n = 0; n < 5; ++n)
      for (std::size_t k = 0; k < 32; ++k) sum += counted[(n * 3 + channel) * 32 + k];
    CHECK(testing::interpret(b.graph, leaves)[0][channel] == sum);
  }
}

TEST_CASE("value: what has no elements, or is made of nothing else, is a constant") {
  ir::Builder b;
  const Value x = input(b, DType::f32, make_dims<0, 5>(), 0), u = input(b, DType::f32, make_dims<5>(), 1);
  const auto constant = [](Value v, double value) { return v.op() == Op::constant && v.constant() == value; };
  CHECK(constant(x * u, 0));
  CHECK((x * u).dims() == make_dims<0, 5>());
  CHECK(constant(ir::reduce(Op::reduce_sum, x, 1u), 0));
  CHECK(constant(ir::reduce(Op::reduce_prod, x, 1u), 1));
  CHECK(constant(ir::reduce(Op::reduce_max, x, 1u), -std::numeric_limits<double>::infinity()));
  ir::DotAxes axes;
  axes.contracted = 1;
  CHECK(constant(ir::dot(x, x, axes, DType::f32), 0));  // over the empty axis: (5, 5) zeros
  CHECK(ir::dot(x, x, axes, DType::f32).dims() == make_dims<5, 5>());
  const i64 widths[4]{2, 0, 0, 0};
  CHECK(constant(ir::pad(x, widths, 3), 3));
  CHECK(ir::reduce(Op::reduce_sum, u, 1u).op() == Op::reduce_sum);
}

TEST_CASE("value: constants fold only to finite numbers") {
  ir::Builder b;
  const auto f32 = [&](double v) { return ir::constant(b, DType::f32, Dims{}, v); };
  CHECK((f32(3e38) * f32(10)).op() == Op::mul);
  CHECK((f32(3e38) + f32(3e38)).op() == Op::add);
  CHECK((f32(0) * f32(std::numeric_limits<double>::infinity())).op() == Op::mul);
  CHECK((f32(1) / f32(0)).op() == Op::div);
  CHECK((f32(3) * f32(10)).is(30));
}

TEST_CASE("value: small powers are arithmetic") {
  ir::Builder b;
  const Value x = input(b, DType::f32, make_dims<5>(), 0);
  const auto power = [&](double p) { return ir::binary(Op::pow, x, ir::constant_like(x, p)); };
  CHECK(power(0).is(1));
  CHECK(power(1).id == x.id);
  CHECK(power(2).op() == Op::mul);
  CHECK(power(0.5).op() == Op::sqrt);
  CHECK(power(-1).op() == Op::div);
  CHECK(power(2.5).op() == Op::pow);
}
