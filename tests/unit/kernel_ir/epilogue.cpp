#include "weft/kernel_ir/epilogue.hpp"

#include <doctest/doctest.h>

#include <ostream>
#include <vector>

#include "weft/weft.hpp"

using namespace weft;

namespace {

std::vector<f32> numbers(std::size_t n, u32 seed) {
  std::vector<f32> r(n);
  for (f32& v : r) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<f32>(seed >> 8) / 16777216.0f - 0.5f;
  }
  return r;
}

struct Sum {
  ir::Builder b;
  ir::Value x, w, bias, residual;
  Sum()
      : x{&b, b.leaf(ir::Op::input, DType::f32, Dims{2, {64, 96}}, 0)},
        w{&b, b.leaf(ir::Op::input, DType::f32, Dims{2, {96, 80}}, 1)},
        bias{&b, b.leaf(ir::Op::input, DType::f32, Dims{1, {80}}, 2)},
        residual{&b, b.leaf(ir::Op::input, DType::f32, Dims{2, {64, 80}}, 3)} {}
  ir::Value product() {
    ir::DotAxes axes;
    axes.contracted = 1;
    axes.contracted_a[0] = 1;
    axes.contracted_b[0] = 0;
    return ir::dot(x, w, axes, DType::f32);
  }
  kernel_ir::DeferredBias late(ir::Value sum) const {
    std::vector<int> uses(static_cast<std::size_t>(b.graph.nodes.size()), 0);
    for (const int e : b.graph.edges) ++uses[static_cast<std::size_t>(e)];
    ++uses[static_cast<std::size_t>(sum.id)];
    return kernel_ir::deferred_bias(b.graph.nodes.data(), b.graph.edges.data(), sum.id, uses.data());
  }
};

}  // namespace

TEST_CASE("epilogue: a bias in front of a residual is found, unless the first sum is read elsewhere") {
  Sum s;
  const ir::Value dot = s.product(), wide = ir::broadcast(s.bias, dot.dims()), inner = dot + wide,
                  sum = inner + s.residual;
  const kernel_ir::DeferredBias found = s.late(sum);
  CHECK(found.inner == inner.id);
  CHECK(found.dot == dot.id);
  CHECK(found.bias == wide.id);
  CHECK(found.x == s.residual.id);
  CHECK(s.late(inner).inner < 0);
  const ir::Value other = ir::unary(ir::Op::tanh, inner);  // a second reader
  CHECK(other);
  CHECK(s.late(sum).inner < 0);
}

TEST_CASE("epilogue: one entry a column is a bias, a value of the result's extents or one a row is none") {
  Sum s;
  const ir::Value dot = s.product();
  const kernel_ir::View b = kernel_ir::contiguous_view(s.w.id, s.w.dims());
  const auto view = [&](ir::Value v) {
    kernel_ir::View r = kernel_ir::contiguous_view(v.in(0).id, v.in(0).dims());
    CHECK(kernel_ir::apply_movement(s.b.graph, v.id, r));
    return r;
  };
  CHECK(kernel_ir::is_column_bias(s.b.graph, dot.id, view(ir::broadcast(s.bias, dot.dims())), b));
  CHECK(!kernel_ir::is_column_bias(s.b.graph, dot.id,
                                   kernel_ir::contiguous_view(s.residual.id, s.residual.dims()), b));
  const ir::Value rows{&s.b, s.b.leaf(ir::Op::input, DType::f32, Dims{2, {64, 1}}, 4)};
  CHECK(!kernel_ir::is_column_bias(s.b.graph, dot.id, view(ir::broadcast(rows, dot.dims())), b));
}

TEST_CASE("epilogue: what a product adds itself has the bits of separate additions") {
  auto joined = compile(
      Cpu{}, [](auto x, auto w, auto b, auto r) { return matmul(x, w) + b + r; }, in<f32, 64, 96>,
      in<f32, 96, 80>, in<f32, 80>, in<f32, 64, 80>);
  // the product is a result too, so that its kernel adds nothing
  auto apart = compile(
      Cpu{},
      [](auto x, auto w, auto b, auto r) {
        const auto y = matmul(x, w);
        return std::tuple{y, (y + r) + b};
      },
      in<f32, 64, 96>, in<f32, 96, 80>, in<f32, 80>, in<f32, 64, 80>);
  CHECK(decltype(joined)::launches() == 1);
  CHECK(decltype(apart)::launches() > 1);
  const auto x = numbers(64 * 96, 1), w = numbers(96 * 80, 2), b = numbers(80, 3), r = numbers(64 * 80, 4);
  const auto one = joined(x, w, b, r);
  const auto [product, two] = apart(x, w, b, r);
  CHECK(one.to_vector() == two.to_vector());
}
