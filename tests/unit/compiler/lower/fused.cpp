#include "weft/compiler/lower/fused.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>

#include "support/lowered_difference.hpp"
#include "weft/weft.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("fused: a reduction over all of a value with more axes than its kernel's space") {
  CHECK(failures(200368, 1, {.steps = 24}) == 0);
}
TEST_CASE("fused: sizes that are cut into chunks") {
  CHECK(failures(30000, 200, {.steps = 10, .size = 40000}) == 0);
}

namespace {

struct Wide {
  ir::Builder b;
  Leaves leaves;
  ir::Value input(const Dims& d) {
    const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, d, static_cast<u64>(leaves.inputs.size()))};
    b.graph.inputs.push(x.id);
    Array values;
    for (i64 k = 0; k < d.size(); ++k)
      values.push_back(static_cast<double>((k * 5 + 3 * static_cast<i64>(leaves.inputs.size())) % 7 - 3));
    leaves.inputs.push_back(values);
    return x;
  }
  std::string compare() {
    b.graph.scalar_count = 4;
    leaves.scalars = Array(4, 0);
    return difference(b.graph, leaves, 1);
  }
};

}  // namespace

TEST_CASE("fused: up to 200 numbers that are reduced apart are added up") {
  for (const int count : {13, 41, 48, 100, 200}) {
    Wide p;
    ir::Value sum;
    for (int k = 0; k < count; ++k) {
      const ir::Value x = p.input(Dims{2, {4, 2 + k % 5}});
      const ir::Value one = ir::reduce(ir::Op::reduce_sum, x * x, 0b11);
      sum = sum ? sum + one : one;
    }
    p.b.graph.outputs.push(sum.id);
    CAPTURE(count);
    CHECK(p.compare() == "");
  }
}
TEST_CASE("fused: many small results of one shape, from operands of their own") {
  for (const int count : {20, 60, 150}) {
    Wide p;
    for (int k = 0; k < count; ++k) {
      const ir::Value x = p.input(Dims{1, {64}}), y = p.input(Dims{1, {64}});
      p.b.graph.outputs.push((x - y * 2.0).id);
    }
    CAPTURE(count);
    CHECK(p.compare() == "");
  }
}
TEST_CASE("fused: one value of up to 200 operands, and as many readers") {
  for (const int count : {41, 200}) {
    Wide p;
    const ir::Value first = p.input(Dims{2, {8, 64}});
    ir::Value sum = first;
    for (int k = 1; k < count; ++k) sum = sum + p.input(Dims{2, {8, 64}});
    p.b.graph.outputs.push(sum.id);
    for (int k = 0; k < count; ++k)
      p.b.graph.outputs.push(ir::binary(ir::Op::max, sum, ir::constant_like(sum, k)).id);
    CAPTURE(count);
    CHECK(p.compare() == "");
  }
}
TEST_CASE("fused: many values of one kernel that kernels of their own read") {
  for (const int count : {30, 45, 60, 150}) {
    Wide p;
    const ir::Value x = p.input(Dims{2, {8, 64}}), w = p.input(Dims{2, {64, 4}});
    const ir::Value y = ir::unary(ir::Op::tanh, x) * x;
    ir::DotAxes axes;
    axes.contracted = 1;
    axes.contracted_a[0] = 1;
    axes.contracted_b[0] = 0;
    std::vector<ir::Value> values;
    for (int k = 0; k < count; ++k) values.push_back(y * y + y * (0.25 * (k + 1)));
    for (const ir::Value& v : values) p.b.graph.outputs.push(ir::dot(v, w, axes, DType::f32).id);
    CAPTURE(count);
    CHECK(p.compare() == "");
  }
}
TEST_CASE("fused: one index per axis of many shapes") {
  Wide p;
  const ir::Value x = p.input(Dims{2, {8, 64}});
  ir::Value sum = x;
  for (int k = 0; k < 50; ++k) {
    const ir::Value row = p.input(Dims{2, {1, 64}});
    sum = sum + ir::broadcast(row * (1.0 + k), x.dims()) *
                    ir::Value{&p.b, p.b.leaf(ir::Op::iota, DType::f32, x.dims(), static_cast<u64>(k % 2))};
    p.b.graph.outputs.push(sum.id);
  }
  CHECK(p.compare() == "");
}
TEST_CASE("fused: biases, gains and what is made of them, all in one row kernel's reach") {
  for (const int count : {30, 80}) {
    Wide p;
    const ir::Value x = p.input(Dims{2, {16, 64}});
    ir::Value y = x;
    for (int k = 0; k < count; ++k) {
      const ir::Value gain = p.input(Dims{1, {64}}), row = p.input(Dims{2, {16, 1}});
      y = y * 0.0 + x * ir::broadcast(gain, x.dims()) + ir::broadcast(row, x.dims());
      if (k % 3 == 0) p.b.graph.outputs.push(ir::reduce(ir::Op::reduce_sum, y, 0b01).id);
      if (k % 3 == 1) p.b.graph.outputs.push(ir::reduce(ir::Op::reduce_max, y, 0b10).id);
    }
    p.b.graph.outputs.push(y.id);
    CAPTURE(count);
    CHECK(p.compare() == "");
  }
}
TEST_CASE("fused: more random numbers than a kernel draws, alone and in masks") {
  for (const int count : {9, 30}) {
    for (const bool masks : {false, true}) {
      Wide p;
      const ir::Value x = p.input(Dims{2, {8, 64}});
      p.leaves.seed = 11, p.leaves.step = 5;
      ir::Value y = x, sum;
      for (int k = 0; k < count; ++k) {
        const ir::Value bits{&p.b, p.b.leaf(ir::Op::random, DType::u32, x.dims(), static_cast<u64>(k))};
        const ir::Value two = ir::binary(ir::Op::shift_right, bits, ir::constant_like(bits, 30));
        const ir::Value draw = ir::cast(two, DType::f32);
        sum = sum ? sum + draw : draw;
        y = ir::select(ir::binary(ir::Op::eq, draw, ir::constant_like(draw, 0)), y + 1.0, y);
      }
      p.b.graph.streams = count;
      p.b.graph.outputs.push((masks ? y : x + sum).id);
      CAPTURE(count);
      CAPTURE(masks);
      CHECK(p.compare() == "");
    }
  }
}

TEST_CASE("fused: permutes of 8 axes among arithmetic and sums") {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    Wide p;
    const Dims d{8, {2, 3, 2, 1, 2, 3, 2, 2}};
    ir::Value x = p.input(d);
    for (int step = 0; step < 6; ++step) {
      i64 order[8]{0, 1, 2, 3, 4, 5, 6, 7};
      std::shuffle(order, order + 8, random);
      const ir::Value y = ir::permute(x, order);
      const ir::Axes axes = random() % 256;
      x = y * 0.5 + p.input(y.dims());
      if (axes != 0) {
        const ir::Value sum = ir::reduce(ir::Op::reduce_sum, x, axes);
        x = x - ir::broadcast(sum * 0.125, x.dims());
      }
    }
    p.b.graph.outputs.push(x.id);
    CAPTURE(round);
    CHECK(p.compare() == "");
  }
}

// A kernel has a row axis beside the tensor's eight; while compiling, one place too few is an error.
TEST_CASE("fused: one row along an axis with seven of one element behind it") {
  const Cpu cpu;
  auto f = compile(
      cpu, [](auto x) { return x + flip<0>(x); }, in<f32, 64, 1, 1, 1, 1, 1, 1, 1>);
  std::array<f32, 64> x{};
  for (std::size_t i = 0; i < 64; ++i) x[i] = static_cast<f32>(i * i);
  const auto y = f(x);
  for (std::size_t i = 0; i < 64; ++i) CHECK(y.data()[i] == x[i] + x[63 - i]);
}
