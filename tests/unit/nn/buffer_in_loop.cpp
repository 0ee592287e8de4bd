// Buffers that the body of a loop assigns: carried from trip to trip, as in the loop written out.

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/device.hpp"
#include "weft/nn/param.hpp"
#include "weft/weft.hpp"

using namespace weft;
using weft::testing::test_device, weft::testing::TestDevice;

namespace {

struct Counting {
  nn::Linear<4, 4> fc;
  nn::BatchNorm1d<4> norm;
  nn::Buffer<f32, Shape<>> seen;
  nn::Buffer<f32, Shape<4>> last;
  constexpr auto cell(auto h, auto x) const {
    const auto y = tanh(norm(fc(x)) + h);
    seen.assign(seen.latest() + 1);
    last.assign(mean<0>(y));
    return y;
  }
};

struct CountingBlock {
  nn::Linear<4, 4> fc;
  constexpr auto operator()(auto x, const auto& count) const {
    count.assign(count.latest() * 2 + 1);
    return tanh(fc(x));
  }
};
struct CountingNet {
  nn::Stack<CountingBlock, 5> h;
  nn::Buffer<f32, Shape<>> count;
};

constexpr auto looped = [](const auto& m, auto h, auto xs) {
  return loop([&](auto carry, auto x) { return m.cell(carry, x); }, h, xs);
};
constexpr auto unrolled = [](const auto& m, auto h, auto xs) {
  auto y = h;
  y.value = m.cell(y, select<0, 0>(xs)).value;
  y.value = m.cell(y, select<0, 1>(xs)).value;
  y.value = m.cell(y, select<0, 2>(xs)).value;
  return y;
};
constexpr auto loss = [](auto y) { return sum<>(square(y)); };

std::vector<f32> waves(int count, double pace) {
  std::vector<f32> x;
  for (int i = 0; i < count; ++i) x.push_back(static_cast<f32>(std::sin(pace * i)));
  return x;
}

}  // namespace

TEST_CASE("buffer: assigned in a loop it is carried from trip to trip") {
  Model<Counting, TestDevice> a(test_device(), 3), b = a.clone();
  auto f = compile(a, looped, in<f32, 6, 4>, in<f32, 3, 6, 4>, mode::train);
  auto g = compile(b, unrolled, in<f32, 6, 4>, in<f32, 3, 6, 4>, mode::train);
  for (int t = 0; t < 2; ++t) {
    const auto h = waves(24, 0.3 + t), xs = waves(72, 0.7 + t);
    const auto y = f(h, xs).to_vector(), z = g(h, xs).to_vector();
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == doctest::Approx(z[i]).epsilon(1e-5));
  }
  CHECK(a.get<"seen">().item() == 6);
  CHECK(a.get<"norm.num_batches_tracked">().item() == 6);
  for (const char* name : {"running_mean", "running_var"}) static_cast<void>(name);
  const auto near = [](const auto& x, const auto& y) {
    for (i64 i = 0; i < x.size(); ++i) CHECK(x[i] == doctest::Approx(y[i]).epsilon(1e-5));
  };
  near(a.get<"norm.running_mean">(), b.get<"norm.running_mean">());
  near(a.get<"norm.running_var">(), b.get<"norm.running_var">());
  near(a.get<"last">(), b.get<"last">());
}

TEST_CASE("buffer: training through a loop that assigns, loops in one another, before and behind it") {
  const auto run = [](auto&& trainer) {
    std::vector<f32> losses;
    for (int t = 0; t < 4; ++t) losses.push_back(trainer.step(waves(24, 0.3 + t), waves(72, 0.7 + t)));
    losses.push_back(trainer.model().template get<"seen">().item());
    losses.push_back(trainer.model().template get<"norm.running_var">()[2]);
    return losses;
  };
  const auto a = run(make_trainer(
      Model<Counting, TestDevice>(test_device(), 4),
      [](const auto& m, auto h, auto xs) { return loss(looped(m, h, xs)); }, in<f32, 6, 4>, in<f32, 3, 6, 4>,
      optim::AdamW{.lr = 1e-2f}));
  const auto b = run(make_trainer(
      Model<Counting, TestDevice>(test_device(), 4),
      [](const auto& m, auto h, auto xs) { return loss(unrolled(m, h, xs)); }, in<f32, 6, 4>,
      in<f32, 3, 6, 4>, optim::AdamW{.lr = 1e-2f}));
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-4));
  CHECK(a[4] == 12);

  Model<Counting, TestDevice> model(test_device(), 5);
  auto f = compile(
      model,
      [](const auto& m, auto h, auto xs) {
        const auto first = m.cell(h, select<0, 0>(xs));
        const auto inner = [&](auto carry, auto x) {
          const auto [y, seen] = loop<2>(
              [&](auto c) {
                const auto next = m.cell(c, x);
                return std::pair{next, m.seen.latest()};
              },
              carry);
          return std::pair{y, seen};
        };
        const auto [y, seen] = loop(inner, first, xs);
        return std::tuple{m.cell(y, select<0, 2>(xs)), seen, m.seen.latest(), m.seen + 0};
      },
      in<f32, 6, 4>, in<f32, 3, 6, 4>, mode::train);
  for (int t = 0; t < 2; ++t) {
    const auto [y, seen, latest, before] = f(waves(24, 0.3), waves(72, 0.7));
    for (int k = 0; k < 6; ++k) CHECK(seen[k] == static_cast<f32>(8 * t + k + 2));
    CHECK(latest.item() == static_cast<f32>(8 * t + 8));
    CHECK(before.item() == static_cast<f32>(8 * t));
  }
}

TEST_CASE("buffer: read as assigned so far in a loop that does not assign it") {
  Model<Counting, TestDevice> model(test_device(), 6);
  auto f = compile(
      model,
      [](const auto& m, auto xs) {
        m.seen.assign(m.seen + 5);
        return loop([&](auto carry, auto x) { return carry + x * m.seen.latest(); }, sum<0>(xs), xs);
      },
      in<f32, 3, 4>);
  const std::vector<f32> ones(12, 1);
  CHECK(f(ones).to_vector() == std::vector<f32>(4, 3 + 3 * 5));
  CHECK(f(ones).to_vector() == std::vector<f32>(4, 3 + 3 * 10));
}

TEST_CASE("buffer: of the model, assigned in the blocks of a Stack") {
  Model<CountingNet, TestDevice> model(test_device(), 7);
  auto f = compile(
      model, [](const auto& m, auto x) { return m.h(x, m.count); }, in<f32, 2, 4>);
  f(waves(8, 0.5));
  CHECK(model.get<"count">().item() == 31);
}

TEST_CASE("buffer: one sample of vmap assigns none") {
  ir::Builder b;
  b.graph.slots.push({ir::Space::model, DType::f32, b.shape(Dims{}), -1, 0});
  nn::Buffer<f32, Shape<>> buffer;
  buffer.builder = &b, buffer.slot = 0;
  const int node = b.leaf(ir::Op::input, DType::f32, Shape<3>::value, 0);
  b.graph.inputs.push(node);
  const Expr<f32, Shape<3>> x{ir::Value{&b, node}};
  vmap([&](auto one) {
    buffer.assign(one);
    return one;
  })(x);
  CHECK(b.graph.assigns.empty());
  const exec::WithoutValue found = exec::without_value(b.graph, exec::node_without_value(b.graph));
  CHECK(found.why == ir::Valueless::of_sample);
  CHECK(found.dims == Shape<>::value);
}
