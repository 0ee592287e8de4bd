#include "weft/nn/stack.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "support/device.hpp"
#include "support/same_state.hpp"
#include "weft/weft.hpp"

using namespace weft;
using weft::testing::test_device, weft::testing::TestDevice;
using namespace test_support;

namespace {

// A network of N blocks, unrolled and as a Stack.
template <class Block, int N>
struct Unrolled {
  std::array<Block, N> h{};
  constexpr auto operator()(auto x) const {
    for (const Block& block : h) x.value = block(x).value;
    return x;
  }
};
template <class Block, int N>
struct Stacked {
  nn::Stack<Block, N> h{};
  constexpr auto operator()(auto x) const { return h(x); }
};
constexpr auto call = [](const auto& m, auto x) { return m(x); };

template <class T>
std::vector<T> waves(int count, double pace) {
  std::vector<T> x;
  for (int i = 0; i < count; ++i) x.push_back(static_cast<T>(std::sin(pace * i + 0.3)));
  return x;
}

struct Residual {
  nn::LayerNorm<64> ln;
  nn::Linear<64, 64> fc, out;
  constexpr auto operator()(auto x) const { return x + out(gelu(fc(ln(x)))); }
};
template <class T>
struct Plain {
  nn::Linear<64, 64, true, T> fc, out;
  constexpr auto operator()(auto x) const { return x + out(gelu(fc(x))); }
};

// The gradients of all parameters, of every block.
constexpr auto gradients = [](const auto& m, auto x) {
  return nn::parameters_to_vector(grad([](const auto& net, auto a) { return mean<>(square(net(a))); })(m, x));
};

template <class T, class Block>
void check_bits() {
  Model<Unrolled<Block, 5>, TestDevice> u(test_device(), 3);
  Model<Stacked<Block, 5>, TestDevice> s(test_device(), 4);
  copy_state(u, s);
  CHECK(different_state(u, s) == "");
  CHECK(u.parameter_count() == s.parameter_count());
  auto f = compile(u, call, in<T, 64, 64>);
  auto g = compile(s, call, in<T, 64, 64>);
  const auto x = waves<T>(64 * 64, 0.37);
  CHECK(f(x).to_vector() == g(x).to_vector());
  auto df = compile(u, gradients, in<T, 64, 64>);
  auto dg = compile(s, gradients, in<T, 64, 64>);
  // the unrolled model's are block by block, a Stack's one for all blocks
  auto of_blocks = df(x).to_vector(), all = dg(x).to_vector();
  REQUIRE(of_blocks.size() == all.size());
  std::sort(of_blocks.begin(), of_blocks.end());
  std::sort(all.begin(), all.end());
  CHECK(of_blocks == all);
}

struct Normed {
  nn::Linear<6, 6> fc;
  nn::BatchNorm1d<6> norm;
  constexpr auto operator()(auto x) const { return x + tanh(norm(fc(x))); }
};

// With arguments of its own, arguments for all, and results beside what goes through.
struct Gated {
  nn::Linear<4, 4> fc;
  constexpr auto operator()(auto x, auto gate, auto shift, float scale) const {
    const auto y = tanh(fc(x)) * gate + shift * scale;
    return std::pair{y, std::tuple{sum<1>(y), mean<>(y)}};
  }
};
struct GatedStack {
  nn::Stack<Gated, 3> h;
  nn::Param<f32, Shape<4>, nn::init::Ones> shift;
};
struct Shifted {
  nn::Buffer<f32, Shape<4>> seen;
  constexpr auto operator()(auto x, auto number, auto row) const {
    seen.assign(ones<f32, 4>());
    return x + number + row;
  }
};
struct Twins {
  nn::Linear<4, 4> fc;
  constexpr auto operator()(auto xs) const {
    const auto [a, b] = xs;
    return std::tuple{a + tanh(fc(b)), b - tanh(fc(a))};
  }
};

struct Inner {
  nn::Param<f32, Shape<4>, nn::init::Normal<1>> w;
  nn::Buffer<f32, Shape<4>> seen;
  constexpr auto operator()(auto x) const {
    const auto y = tanh(x * w);
    seen.assign(seen.latest() + mean<0>(y));
    return y;
  }
};
struct Outer {
  nn::Linear<4, 4> fc;
  nn::Stack<Inner, 3> inner;
  constexpr auto operator()(auto x) const { return x + inner(fc(x)); }
};
struct OuterUnrolled {
  nn::Linear<4, 4> fc;
  std::array<Inner, 3> inner;
  constexpr auto operator()(auto x) const {
    auto y = fc(x);
    for (const Inner& i : inner) y.value = i(y).value;
    return x + y;
  }
};

// Caches of which a row is written, running values, and old values that are read after new ones are there.
struct Cached {
  nn::Linear<64, 64> fc, out;
  nn::Buffer<f32, Shape<256, 64>> cache;
  nn::Buffer<f32, Shape<64>> average;
  nn::Buffer<f32, Shape<1, 64>> late;
  constexpr auto operator()(auto x, auto at) const {  // (1, 64)
    const auto row = tanh(fc(x));
    const auto next = dynamic_update_slice(cache, row, at, 0);
    cache.assign(next);
    average.assign(0.9f * average + 0.1f * reshape<64>(row));
    late.assign(row);
    return x + dynamic_slice<1, 64>(next, at - 1, 0) + out(tanh(row)) * late;
  }
};

struct Dropping {
  nn::Dropout drop{.p = 0.25f};
  constexpr auto operator()(auto x) const { return std::pair{x, drop(ones_like(x))}; }
};

struct HalfFrozen {
  nn::Frozen<nn::Linear<4, 4>> body;
  nn::Linear<4, 4> head;
  constexpr auto operator()(auto x) const { return head(tanh(body(x))); }
};

struct TiedBlock {
  nn::Param<f32, Shape<4>, nn::init::Normal<1>> w;
  nn::Tied<"w"> again;
  nn::Tied<"table"> shared;
  constexpr auto operator()(auto x) const { return x * w; }
};
struct TiedNet {
  nn::Param<f32, Shape<4>, nn::init::Ones> table;
  nn::Stack<TiedBlock, 2> h;
  nn::Tied<"h.1.w"> last;
  constexpr auto operator()(auto x) const { return h(x) * table; }
};

}  // namespace

TEST_CASE("stack: names, shapes and files are those of an array of blocks") {
  using S = Stacked<Residual, 12>;
  const auto& table = nn::state_table<S>;
  CHECK(table.size == 6);  // one row for all blocks
  CHECK(table.row[2].name.view() == "h.0.fc.weight");
  CHECK(table.row[2].copies() == 12);
  CHECK(table.row[2].all_dims() == Shape<12, 64, 64>::value);
  CHECK(table.row[2].name.of_copy(11).view() == "h.11.fc.weight");
  CHECK(nn::find_state<S>("h.11.fc.weight").copy == 11);
  for (const char* no : {"h.12.fc.weight", "h.011.fc.weight", "h..fc.weight", "h.fc.weight", "h.1.fc", "h.1"})
    CHECK(nn::find_state<S>(no).row == -1);

  Model<S, TestDevice> model(test_device(), 1);
  Model<Unrolled<Residual, 12>, TestDevice> unrolled(test_device(), 2);
  CHECK(S{}.h.blocks == 12);
  const auto one = model.get<"h.7.out.bias">();
  CHECK(decltype(one)::shape::value == Shape<64>::value);
  copy_state(model, unrolled);
  CHECK(one.to_vector() == unrolled.get<"h.7.out.bias">().to_vector());
  const auto lines = [](const std::string& text) { return text.substr(0, text.find(" trained")); };
  CHECK(lines(model.summary()) == lines(unrolled.summary()));
}

TEST_CASE("stack: values and gradients have the bits of the unrolled model") {
  check_bits<f32, Residual>();
  check_bits<f64, Plain<f64>>();
}

TEST_CASE("stack: blocks start from numbers of their own, and from the same seed alike") {
  Model<Stacked<Residual, 6>, TestDevice> a(test_device(), 5), b(test_device(), 5), c(test_device(), 6);
  std::set<std::vector<float>> seen;
  const auto look = [&](const auto& view) { seen.insert(view.to_vector()); };
  look(a.get<"h.0.fc.weight">());
  look(a.get<"h.1.fc.weight">());
  look(a.get<"h.5.fc.weight">());
  CHECK(seen.size() == 3);
  CHECK(different_state(a, b) == "");
  CHECK(different_state(a, c).find("h.3.fc.weight ") != std::string::npos);
  double squares = 0;
  for (const float w : a.get<"h.4.fc.weight">()) squares += w * w / 4096.0;
  CHECK(squares == doctest::Approx(1.0 / 64 / 3).epsilon(0.1));  // uniform in +-1/8
  for (const float w : a.get<"h.4.ln.weight">()) CHECK(w == 1);
}

TEST_CASE("stack: each(), arguments for all, further results") {
  Model<GatedStack, TestDevice> model(test_device(), 7);
  const auto run = [](const auto& m, auto x, auto gates) {
    const auto [y, results] = m.h(x, nn::each(gates), m.shift, 0.5f);
    const auto [sums, means] = results;
    return std::tuple{y, sums, means};
  };
  auto f = compile(model, run, in<f32, 2, 4>, in<f32, 3, 2, 4>);
  const auto x = waves<f32>(8, 0.9), gates = waves<f32>(24, 0.4);
  const auto [y, sums, means] = f(x, gates);
  CHECK(decltype(sums)::shape::value == Shape<3, 2>::value);
  CHECK(decltype(means)::shape::value == Shape<3>::value);
  // by hand
  const std::vector<float> weights[]{model.get<"h.0.fc.weight">().to_vector(),
                                     model.get<"h.1.fc.weight">().to_vector(),
                                     model.get<"h.2.fc.weight">().to_vector()};
  const std::vector<float> biases[]{model.get<"h.0.fc.bias">().to_vector(),
                                    model.get<"h.1.fc.bias">().to_vector(),
                                    model.get<"h.2.fc.bias">().to_vector()};
  std::vector<double> at(x.begin(), x.end());
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> next(8);
    double all = 0;
    for (std::size_t r = 0; r < 2; ++r) {
      double row = 0;
      for (std::size_t c = 0; c < 4; ++c) {
        double z = biases[k][c];
        for (std::size_t i = 0; i < 4; ++i) z += weights[k][4 * c + i] * at[4 * r + i];
        row += next[4 * r + c] = std::tanh(z) * gates[8 * k + 4 * r + c] + 0.5;
      }
      all += row;
      CHECK(sums.to_vector()[2 * k + r] == doctest::Approx(row).epsilon(1e-5));
    }
    CHECK(means.to_vector()[k] == doctest::Approx(all / 8).epsilon(1e-5));
    at = next;
  }
  for (std::size_t i = 0; i < 8; ++i) CHECK(y.to_vector()[i] == doctest::Approx(at[i]).epsilon(1e-5));
}

TEST_CASE("stack: literals, for each block and as what a buffer is set to") {
  Model<Stacked<Shifted, 3>, TestDevice> model(test_device(), 25);
  auto f = compile(
      model,
      [](const auto& m, auto x) { return m.h(x, nn::each(arange<f32, 3>()), nn::each(ones<f32, 3, 4>())); },
      in<f32, 4>);
  const std::vector<f32> zero(4);
  CHECK(f(zero).to_vector() == std::vector<f32>(4, 6));
  CHECK(model.get<"h.2.seen">().to_vector() == std::vector<f32>(4, 1));
}

TEST_CASE("stack: several values go through") {
  Model<Stacked<Twins, 3>, TestDevice> model(test_device(), 8);
  Model<Unrolled<Twins, 3>, TestDevice> unrolled(test_device(), 9);
  copy_state(model, unrolled);
  auto f = compile(
      model,
      [](const auto& m, auto a, auto b) {
        return m.h(std::tuple{a, b});
      },
      in<f32, 2, 4>, in<f32, 2, 4>);
  auto g = compile(
      unrolled,
      [](const auto& m, auto a, auto b) {
        return m.h[2](m.h[1](m.h[0](std::tuple{a, b})));
      },
      in<f32, 2, 4>, in<f32, 2, 4>);
  const auto a = waves<f32>(8, 0.9), b = waves<f32>(8, 0.2);
  const auto [a1, b1] = f(a, b);
  const auto [a2, b2] = g(a, b);
  CHECK(a1.to_vector() == a2.to_vector());
  CHECK(b1.to_vector() == b2.to_vector());
}

TEST_CASE("stack: buffers are each block's own, also of a stack that is called twice") {
  Model<Stacked<Normed, 4>, TestDevice> s(test_device(), 11);
  Model<Unrolled<Normed, 4>, TestDevice> u(test_device(), 12);
  copy_state(s, u);
  auto once_s = compile(s, call, in<f32, 10, 6>, mode::train);
  auto once_u = compile(u, call, in<f32, 10, 6>, mode::train);
  const auto twice = [](const auto& m, auto x) { return m(m(x)); };
  auto twice_s = compile(s, twice, in<f32, 10, 6>, mode::train);
  auto twice_u = compile(u, twice, in<f32, 10, 6>, mode::train);
  for (int t = 0; t < 3; ++t) {
    const auto x = waves<f32>(60, 0.3 + 0.1 * t);
    CHECK(once_s(x).to_vector() == once_u(x).to_vector());
    CHECK(twice_s(x).to_vector() == twice_u(x).to_vector());
  }
  CHECK(different_state(s, u) == "");
  CHECK(s.get<"h.3.norm.num_batches_tracked">().item() == 9);
}

TEST_CASE("stack: in a loop, whose trips its buffers outlast") {
  Model<Stacked<Normed, 4>, TestDevice> s(test_device(), 24), u = s.clone();
  auto f = compile(
      s, [](const auto& m, auto x) { return loop<2>([&](auto y) { return m.h(y); }, x); }, in<f32, 10, 6>,
      mode::train);
  auto g = compile(
      u, [](const auto& m, auto x) { return m.h(m.h(x)); }, in<f32, 10, 6>, mode::train);
  for (int t = 0; t < 3; ++t) {
    const auto x = waves<f32>(60, 0.3 + 0.1 * t);
    CHECK(f(x).to_vector() == g(x).to_vector());
  }
  CHECK(different_state(s, u) == "");
  CHECK(s.get<"h.2.norm.num_batches_tracked">().item() == 6);
}

TEST_CASE("stack: buffers are written where they lie, unless their old values are still wanted") {
  Model<Stacked<Cached, 6>> s(Cpu{}, 22);
  Model<Unrolled<Cached, 6>> u(Cpu{}, 23);
  copy_state(s, u);
  auto f = compile(
      s, [](const auto& m, auto x, auto at) { return m.h(x, at); }, in<f32, 1, 64>, in<i32>);
  auto g = compile(
      u,
      [](const auto& m, auto x, auto at) {
        for (const Cached& block : m.h) x.value = block(x, at).value;
        return x;
      },
      in<f32, 1, 64>, in<i32>);
  for (int t = 0; t < 20; ++t) {
    const auto x = waves<f32>(64, 0.3 + 0.01 * t);
    CHECK(f(x, t).to_vector() == g(x, t).to_vector());
  }
  CHECK(different_state(s, u) == "");
  // a copy of the caches alone would be 2 * 6 * 256 * 64 * 4 bytes
  CHECK(f.explain().find("copy") == f.explain().rfind("copy"));
  CHECK(f.workspace_bytes() < 256 * 64 * 4);
}

TEST_CASE("stack: stacks lie in blocks of stacks") {
  using S = Stacked<Outer, 2>;
  Model<S, TestDevice> s(test_device(), 13);
  Model<Unrolled<OuterUnrolled, 2>, TestDevice> u(test_device(), 14);
  CHECK(nn::state_table<S>.row[2].name.of_copy(5).view() == "h.1.inner.2.w");
  CHECK(nn::find_state<S>("h.1.inner.0.w").copy == 3);
  copy_state(s, u);
  auto f = compile(s, call, in<f32, 3, 4>, mode::train);
  auto g = compile(u, call, in<f32, 3, 4>, mode::train);
  const auto x = waves<f32>(12, 0.7);
  CHECK(f(x).to_vector() == g(x).to_vector());
  CHECK(f(x).to_vector() == g(x).to_vector());
  CHECK(different_state(s, u) == "");
}

TEST_CASE("stack: masks differ by block and by call, and have the rate") {
  Model<Stacked<Dropping, 8>, TestDevice> model(test_device(), 15);
  auto f = compile(
      model, [](const auto& m, auto x) { return m.h(x); }, in<f32, 64, 64>, mode::train, seed{3});
  const std::vector<float> x(4096, 1);
  std::set<std::vector<float>> masks;
  for (int t = 0; t < 2; ++t) {
    const auto [y, all] = f(x);
    const std::vector<float> drawn = all.to_vector();
    for (std::size_t k = 0; k < 8; ++k) {
      const std::vector<float> mask(drawn.begin() + static_cast<long>(4096 * k),
                                    drawn.begin() + static_cast<long>(4096 * (k + 1)));
      const double kept = static_cast<double>(4096 - std::count(mask.begin(), mask.end(), 0.0f)) / 4096;
      CHECK(kept == doctest::Approx(0.75).epsilon(0.04));
      masks.insert(mask);
    }
    // two blocks agree as often as chance has it: 0.75^2 + 0.25^2
    for (std::size_t k = 1; k < 8; ++k) {
      double same = 0;
      for (std::size_t i = 0; i < 4096; ++i) same += (drawn[i] == 0) == (drawn[4096 * k + i] == 0);
      CHECK(same / 4096 == doctest::Approx(0.625).epsilon(0.06));
    }
  }
  CHECK(masks.size() == 16);
}

TEST_CASE("stack: what is frozen in a block, and a stack that is") {
  Model<Stacked<HalfFrozen, 3>, TestDevice> model(test_device(), 16);
  CHECK(model.parameter_count() == 3 * 20);
  auto f = compile(
      model,
      [](const auto& m, auto x) {
        const auto g = grad([](const auto& net, auto a) { return sum<>(square(net(a))); })(m, x);
        return std::tuple_cat(nn::parameters(g), std::tuple{nn::parameters_to_vector(g)});
      },
      in<f32, 2, 4>);
  const auto [weight, bias, flat] = f(waves<f32>(8, 0.4));
  CHECK(decltype(weight)::shape::value == Shape<3, 4, 4>::value);
  CHECK(decltype(bias)::shape::value == Shape<3, 4>::value);
  CHECK(flat.size() == 60);
  bool moved = false;
  for (const float g : weight) moved = moved || g != 0;
  CHECK(moved);

  // frozen(h)(x): the gradient of this use reaches x alone
  auto used = compile(
      model,
      [](const auto& m, auto x) {
        const auto through = [](const auto& net, auto a) { return sum<>(square(nn::frozen(net.h)(a))); };
        const auto g = grad(through)(m, x);
        return std::pair{nn::parameters_to_vector(g), grad<1>(through)(m, x)};
      },
      in<f32, 2, 4>);
  const auto [none, of_x] = used(waves<f32>(8, 0.4));
  for (const float g : none) CHECK(g == 0);
  moved = false;
  for (const float g : of_x) moved = moved || g != 0;
  CHECK(moved);
}

TEST_CASE("stack: second derivatives, and samples one by one") {
  Model<Stacked<Plain<f64>, 3>, TestDevice> s(test_device(), 17);
  Model<Unrolled<Plain<f64>, 3>, TestDevice> u(test_device(), 18);
  copy_state(s, u);
  const auto twice = [](const auto& m, auto x) {
    const auto slope = [&](auto a) { return grad([&](auto b) { return sum<>(square(m(b))); })(a); };
    return grad([&](auto a) { return sum<>(square(slope(a))); })(x);
  };
  auto f = compile(s, twice, in<f64, 2, 64>);
  auto g = compile(u, twice, in<f64, 2, 64>);
  const auto x = waves<f64>(128, 0.21);
  const auto a = f(x).to_vector(), b = g(x).to_vector();
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-10));

  auto one = compile(
      s, [](const auto& m, auto all) { return vmap([&](auto sample) { return m(sample); })(all); },
      in<f64, 2, 64>);
  auto all = compile(s, call, in<f64, 2, 64>);
  const auto y = one(x).to_vector(), z = all(x).to_vector();
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == doctest::Approx(z[i]).epsilon(1e-12));
}

TEST_CASE("stack: tied names inside blocks, and into them") {
  Model<TiedNet, TestDevice> model(test_device(), 19);
  CHECK(model.get<"h.1.again">().data() == model.get<"h.1.w">().data());
  CHECK(model.get<"h.1.shared">().data() == model.get<"table">().data());
  CHECK(model.get<"last">().data() == model.get<"h.1.w">().data());
  const ScratchFolder folder;
  const std::string path = folder / "tied";
  model.save(path);
  const io::Safetensors file(path);
  for (const char* name : {"h.0.w", "h.1.w", "h.0.again", "h.1.again", "h.0.shared", "h.1.shared", "last"})
    CHECK(file.find(name) != nullptr);
  CHECK(file.entries().size() == 8);
  Model<TiedNet, TestDevice> other(test_device(), 20);
  other.load(path);
  CHECK(different_state(model, other) == "");
}

TEST_CASE("stack: apply picks blocks by name") {
  Model<Stacked<Inner, 4>, TestDevice> model(test_device(), 21);
  const auto before = model.get<"h.0.w">().to_vector();
  apply<nn::init::Constant<7>>(
      model, [](std::string_view name, const Dims&) { return name == "h.1.w" || name.starts_with("h.3."); });
  CHECK(model.get<"h.0.w">().to_vector() == before);
  CHECK(model.get<"h.1.w">().to_vector() == std::vector<float>(4, 7));
  CHECK(model.get<"h.1.seen">().to_vector() == std::vector<float>(4, 0));
  CHECK(model.get<"h.3.seen">().to_vector() == std::vector<float>(4, 7));
}
