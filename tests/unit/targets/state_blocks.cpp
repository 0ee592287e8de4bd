#include "weft/targets/state_blocks.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/error_of.hpp"
#include "weft/interpreter.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

struct Net {
  nn::Linear<64, 64> fc;
};
struct Cache {
  nn::Buffer<f32, Shape<128, 64>> rows;
  nn::Buffer<i32, Shape<>> length;
};
struct Scale {
  nn::Param<f32, Shape<64>, nn::init::Constant<3>> factor;
  nn::Buffer<f32, Shape<64>> total;
};

// Writes one row of the cache and returns the sum of all.
constexpr auto append = [](const auto& net, const auto& cache, auto x) {  // (1, 64)
  cache.rows.assign(dynamic_update_slice(cache.rows, net.fc(x), cache.length, 0));
  cache.length.assign(cache.length + 1);
  return sum<0>(cache.rows.latest());
};

std::vector<f32> waves(int count, double pace) {
  std::vector<f32> x;
  for (int i = 0; i < count; ++i) x.push_back(static_cast<f32>(std::sin(pace * i)));
  return x;
}

}  // namespace

TEST_CASE("state_blocks: addresses of the compiler's, of one block and of several") {
  std::byte memory[64]{};
  const exec::StateBlock blocks[]{{memory, 32}, {memory + 32, 32}};
  CHECK(exec::StateBlocks{blocks, 1}.at(8) == memory + 8);
  CHECK(exec::StateBlocks{blocks, 2}.at(8) == memory + 8);
  CHECK(exec::StateBlocks{blocks, 2}.at(exec::state_room + 8) == memory + 40);
}

TEST_CASE("state_blocks: a function keeps the models of states() alive, whoever made them") {
  const auto made = [] {
    Model<Net> net(Cpu{}, 1);
    Model<Cache> cache(Cpu{}, 2);
    return states(net, cache);
  };
  auto f = compile(made(), append, in<f32, 1, 64>);
  Model<Net> net(Cpu{}, 1);
  Model<Cache> cache(Cpu{}, 2);
  auto g = compile(states(net, cache), append, in<f32, 1, 64>);
  const auto x = waves(64, 0.3);
  CHECK(f(x).to_vector() == g(x).to_vector());
}

TEST_CASE("state_blocks: programs over one model see each other's writes, in the order of the calls") {
  Model<Net> net(Cpu{}, 1);
  Model<Cache> first(Cpu{}, 2), second(Cpu{}, 3);
  auto f = compile(states(net, first), append, in<f32, 1, 64>);
  auto g = compile(states(net, second), append, in<f32, 1, 64>);
  auto read = compile(first, [](const auto& cache) { return cache.length + 0; });
  const auto x = waves(64, 0.3), y = waves(64, 0.7);
  f(x);
  CHECK(read().item() == 1);
  const std::vector<f32> both = f(y).to_vector();
  g(y);
  const std::vector<f32> other = g(x).to_vector();
  for (std::size_t i = 0; i < 64; ++i) CHECK(both[i] == doctest::Approx(other[i]));
  CHECK(first.get<"length">().item() == 2);
  CHECK(second.get<"length">().item() == 2);
  // row by row what the layer gives
  auto layer = compile(
      net, [](const auto& m, auto a) { return m.fc(a); }, in<f32, 1, 64>);
  const std::vector<f32> row = layer(y).to_vector();
  for (i64 c = 0; c < 64; ++c) {
    CHECK(first.get<"rows">()(1, c) == row[static_cast<std::size_t>(c)]);
    CHECK(first.get<"rows">()(2, c) == 0);
  }
  net.get<"fc.bias">().data()[5] += 1;
  CHECK(layer(y)(0, 5) == row[5] + 1);
  CHECK(f(y)(5) == doctest::Approx(both[5] + row[5] + 1));
  CHECK(f.explain().find("copy") == std::string::npos);  // a row is written where it lies
}

TEST_CASE("state_blocks: three models, some of them const, alive as long as a function is") {
  auto f = [] {
    Model<Net> net(Cpu{}, 4);
    const Model<Scale> other(Cpu{}, 5);
    Model<Scale> scale(Cpu{}, 6);
    return compile(
        states(net, other, scale),
        [](const auto& m, const auto& fixed, const auto& own, auto x) {
          const auto y = m.fc(x) * fixed.factor * own.factor;
          own.total.assign(own.total.latest() + sum<0>(y));
          return std::pair{y, own.total.latest()};
        },
        in<f32, 2, 64>);
  }();
  const auto x = waves(128, 0.2);
  std::vector<f64> total(64);
  for (int t = 0; t < 3; ++t) {
    const auto [y, sum] = f(x);
    for (std::size_t c = 0; c < 64; ++c) {
      total[c] += static_cast<f64>(y.to_vector()[c]) + static_cast<f64>(y.to_vector()[64 + c]);
      CHECK(sum.to_vector()[c] == doctest::Approx(total[c]).epsilon(1e-4));
    }
  }
}

TEST_CASE("state_blocks: precision, checks, the interpreter, and inputs that lie in a model") {
  Model<Net> net(Cpu{}, 7);
  Model<Cache> cache(Cpu{}, 8), low(Cpu{}, 8), checked(Cpu{}, 8);
  auto f = compile(states(net, cache), append, in<f32, 1, 64>);
  auto g = compile(states(net, low), append, in<f32, 1, 64>, precision::bf16);
  auto h = compile(states(net, checked), append, in<f32, 1, 64>, check::finite, check::indices);
  for (int t = 0; t < 3; ++t) {
    const auto x = waves(64, 0.3 + t);
    const std::vector<f32> a = f(x).to_vector(), b = g(x).to_vector();
    CHECK(h(x).to_vector() == a);
    for (std::size_t i = 0; i < 64; ++i) CHECK(b[i] == doctest::Approx(a[i]).epsilon(0.05));
  }
  checked.get<"rows">().data()[64 * 100 + 3] = std::nanf("");
  const std::string said = testing::said([&] { h(waves(64, 0.3)); });
  CHECK(said.find("rows") != std::string::npos);

  Model<Net, Interpreter> seen_net(Interpreter{}, net);
  Model<Cache, Interpreter> seen(Interpreter{}, 8);
  auto i = compile(states(seen_net, seen), append, in<f32, 1, 64>);
  Model<Cache> again(Cpu{}, 8);
  auto c = compile(states(net, again), append, in<f32, 1, 64>);
  const auto x = waves(64, 0.4);
  const std::vector<f32> one = i(x).to_vector(), two = c(x).to_vector();
  for (std::size_t k = 0; k < 64; ++k) CHECK(one[k] == doctest::Approx(two[k]).epsilon(1e-5));

  // the cache's own first row, which the call changes
  cache.get<"length">().data()[0] = 0;
  const std::vector<f32> row(cache.get<"rows">().data(), cache.get<"rows">().data() + 64);
  auto fresh = compile(
      net, [](const auto& m, auto a) { return m.fc(a); }, in<f32, 1, 64>);
  const std::vector<f32> wanted = fresh(row).to_vector();
  f(cache.get<"rows">().data());
  for (std::size_t k = 0; k < 64; ++k) CHECK(cache.get<"rows">().data()[k] == wanted[k]);
}

TEST_CASE("state_blocks: one model is not given twice") {
  Model<Cache> cache(Cpu{}, 9);
  CHECK(testing::error_of([&] {
          compile(states(cache, cache), [](const auto& a, const auto& b) { return a.length + b.length; });
        }) == "states/same");
}
