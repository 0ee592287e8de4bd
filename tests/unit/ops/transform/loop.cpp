#include "weft/ops/transform/loop.hpp"

#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "support/device.hpp"
#include "support/gradcheck.hpp"
#include "weft/exec/function.hpp"
#include "weft/ir/verify.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/math/pointwise.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/random/random.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/transform/grad.hpp"
#include "weft/ops/transform/vmap.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

// A recurrence with a product, an invariant that is added, and outputs beside the carry.
constexpr auto rnn = [](auto x, auto w, auto b, auto h0) {
  return loop(
      [&](const auto& h, const auto& xt) {
        const auto n = tanh(xt + matmul(h, w) + b);
        return std::pair{n, std::tuple{n, n * xt}};
      },
      h0, x);
};

}  // namespace

TEST_CASE("loop: gradients of carries, stacked inputs and invariants") {
  const GradCheck r = gradcheck(
      [](auto x, auto w, auto b, auto h0) {
        const auto [last, stacks] = rnn(x, w, b, h0);
        return std::tuple{last, std::get<0>(stacks), std::get<1>(stacks)};
      },
      point<5, 2, 3>(-1, 1), point<3, 3>(-0.5, 0.5, 2), point<3>(-1, 1, 3), point<2, 3>(-1, 1, 4));
  CHECK(r.ok());
  CHECK(r.has(ir::Op::loop));
}

TEST_CASE("loop: in reverse, one trip, no trip") {
  const auto both = [](auto x, auto w, auto h0) {
    const auto body = [&](const auto& h, const auto& xt) {
      const auto n = tanh(xt * h + matmul(h, w));
      return std::pair{n, n * h};
    };
    const auto a = loop(body, h0, x);
    const auto b = reverse_loop(body, h0, x);
    return std::tuple{a.first + b.first, a.second - b.second * 2.0};
  };
  CHECK(gradcheck(both, point<4, 2, 3>(-1, 1), point<3, 3>(-0.5, 0.5, 2), point<2, 3>(-1, 1, 4)).ok());
  CHECK(gradcheck(both, point<1, 2, 3>(-1, 1), point<3, 3>(-0.5, 0.5, 2), point<2, 3>(-1, 1, 4)).ok());
  CHECK(gradcheck(both, point<0, 2, 3>(-1, 1), point<3, 3>(-0.5, 0.5, 2), point<2, 3>(-1, 1, 4)).ok());
  // a batch of none: no result depends on anything
  CHECK(!gradcheck(both, point<3, 0, 3>(-1, 1), point<3, 3>(-0.5, 0.5, 2), point<0, 3>(-1, 1, 4)).reached);
}

TEST_CASE("loop: several carries, only some of them used") {
  const auto f = [](auto x, auto v) {
    const auto r = loop(
        [&](const auto& c, const auto& xt) {
          const auto& [a, b, unused] = c;
          const auto next = a * v + xt;
          return std::pair{std::tuple{next, b + next * next, unused + xt}, b};
        },
        std::tuple{v * 0.5, v, v}, x);
    return std::tuple{std::get<1>(r.first), r.second};
  };
  CHECK(gradcheck(f, point<6, 3>(-1, 1), point<3>(-0.7, 0.7, 2)).ok(1e-6));
}

TEST_CASE("loop: without stacked inputs, and inside another loop") {
  const auto power = [](auto x) { return loop<3>([&](const auto& c) { return c * x; }, x); };
  CHECK(gradcheck(power, point<4>(-1, 1)).ok());
  const auto nested = [](auto x, auto w, auto h0) {
    return loop(
        [&](const auto& h, const auto& xt) {
          const auto inner = loop(
              [&](const auto& g, const auto& xs) {
                const auto n = sin(g * w + xs + h);
                return std::pair{n, n};
              },
              h, xt);
          return std::pair{inner.first, sum(inner.second)};
        },
        h0, x);
  };
  const GradCheck r = gradcheck(
      [&](auto x, auto w, auto h0) {
        const auto [a, b] = nested(x, w, h0);
        return std::tuple{a, b};
      },
      point<3, 4, 2>(-1, 1), point<2>(-1, 1, 2), point<2>(-1, 1, 3));
  CHECK(r.ok());
}

TEST_CASE("loop: gradient of gradient") {
  const auto f = [](auto x, auto w) {
    const auto value = [&](auto v) {
      return sum(
          loop([&](const auto& h, const auto& xt) { return tanh(matmul(h, v) + xt); }, sum<0>(x) * 0.1, x));
    };
    return grad(value)(w);
  };
  CHECK(gradcheck(f, point<3, 2, 2>(-1, 1), point<2, 2>(-0.8, 0.8, 2)).ok(1e-6));
}

TEST_CASE("loop: an invariant's gradient through a product is one product over all trips") {
  const GradCheck r = gradcheck(
      [](auto x, auto w, auto h0) {
        return loop([&](const auto& h, const auto& xt) { return tanh(xt + matmul(h, w)); }, h0, x);
      },
      point<7, 2, 3>(-1, 1), point<3, 3>(-0.5, 0.5, 2), point<2, 3>(-1, 1, 4));
  CHECK(r.ok());
  ir::Builder b;
  const auto input = [&]<i64... D>(Shape<D...> s) {
    const int node = b.leaf(ir::Op::input, DType::f64, s.value, static_cast<u64>(b.graph.inputs.size()));
    b.graph.inputs.push(node);
    return Expr<double, Shape<D...>>{ir::Value{&b, node}};
  };
  const auto x = input(Shape<7, 2, 3>{});
  const auto w = input(Shape<3, 3>{});
  const auto h = input(Shape<2, 3>{});
  const auto y = sum(loop([&](const auto& c, const auto& xt) { return tanh(xt + matmul(c, w)); }, h, x));
  const List<ir::Value> g =
      transforms::differentiate(y.value, ir::constant_like(y.value, 1), List<int>(1, w.value.id));
  CHECK(g[0].op() == ir::Op::dot);
  b.graph.outputs.push(g[0].id);
  CHECK(!ir::verify(b.graph));
  const ir::Graph pruned = transforms::prune(b.graph);
  CHECK(!ir::verify(pruned, ir::Stage::pruned));
  for (int i = 0; i < pruned.nodes.size(); ++i)
    if (pruned.nodes[i].op == ir::Op::loop) CHECK(ir::loop_shape(pruned, i).carries == 1);
}

// As a user writes a loss with a penalty on its own gradient.
TEST_CASE("loop: a function's value beside its gradient") {
  const auto check = [](auto f, auto in_x) {
    auto alone = compile(Cpu{}, f, in_x);
    auto beside = compile(
        Cpu{},
        [](auto x) {
          const auto slope = grad(decltype(f){})(x);
          return std::tuple{decltype(f){}(x), slope, decltype(f){}(x) + sum<>(square(slope))};
        },
        in_x);
    std::vector<f32> x(static_cast<std::size_t>(decltype(in_x)::shape::size));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = 0.01f * static_cast<f32>(k % 64) - 0.3f;
    const f32 value = alone(x).item();
    const auto [same, slope, penalised] = beside(x);
    f32 squares = 0;
    for (const f32 s : slope) squares += s * s;
    CHECK(same.item() == value);
    CHECK(penalised.item() == doctest::Approx(value + squares).epsilon(1e-5));
    CHECK(squares > 0);
  };
  check([](auto x) { return sum<>(loop([](auto c, auto t) { return tanh(c + t); }, zeros<f32, 64>(), x)); },
        in<f32, 4, 64>);
  check(
      [](auto x) {
        return sum<>(reverse_loop([](auto c, auto t) { return exp(-c * t); }, zeros<f32, 64>(), x));
      },
      in<f32, 5, 64>);
  check([](auto x) { return sum<>(loop<8>([](auto c) { return sigmoid(3 * c); }, x)); }, in<f32, 64>);
  check(
      [](auto x) {
        const auto [a, b] = loop<3>(
            [](auto c) {
              const auto [u, v] = c;
              return std::tuple{tanh(u + v), sigmoid(u * v)};
            },
            std::tuple{x, 2 * x});
        return sum<>(a * b);
      },
      in<f32, 64>);
}

TEST_CASE("loop: random numbers differ from trip to trip and agree with the gradient's") {
  const auto noisy = [](auto x, auto w) {
    return loop(
        [&](const auto& h, const auto& xt) {
          const auto n = dropout(h * w + xt, 0.5f) + dropout(w, 0.5f);
          return std::pair{n, n};
        },
        w, x);
  };
  const GradCheck r = gradcheck(
      [&](auto x, auto w) {
        const auto [a, b] = noisy(x, w);
        return std::tuple{a, b};
      },
      point<4, 5>(-1, 1), point<5>(-1, 1, 2));
  CHECK(r.ok());
}

TEST_CASE("loop: every trip of every loop draws numbers of its own, again the same from the same seed") {
  auto f = compile(
      test_device(),
      [](auto x) {
        const auto draw = [&](const auto& c, const auto&) {
          const auto inner = loop<3>([](const auto& g) { return std::pair{g, rand_like(g)}; }, c);
          return std::pair{c, std::tuple{rand_like(x), inner.second}};
        };
        const auto [last, stacks] = loop(draw, sum<0>(x) * 0.0f, x);
        return std::tuple{std::get<0>(stacks), std::get<1>(stacks), rand_like(x)};
      },
      in<f32, 5, 8>);
  const std::vector<float> x(40, 1.0f);
  std::set<float> seen;
  std::vector<float> first;
  const auto look = [&](const auto& view) {
    for (i64 i = 0; i < view.size(); ++i) seen.insert(view.data()[i]), first.push_back(view.data()[i]);
  };
  f.set_seed(0);
  const auto [a, b, c] = f(x);
  look(a), look(b), look(c);
  // 200 + 120 + 40 numbers of 24 bits: hardly two are equal, unless two draws share a key
  CHECK(seen.size() >= 357);
  f.set_seed(0);
  const auto [a2, b2, c2] = f(x);
  CHECK(std::equal(first.begin(), first.begin() + 200, a2.data()));
  CHECK(std::equal(first.begin() + 200, first.begin() + 320, b2.data()));
  const auto [a3, b3, c3] = f(x);
  CHECK(!std::equal(first.begin() + 200, first.begin() + 320, b3.data()));
}

TEST_CASE(
    "loop: a loop and the same one traced again for a gradient become one that has the results of both") {
  auto f = compile(
      test_device(),
      [](auto x, auto h) {
        const auto run = [](auto xs, auto start) {
          const auto [last, out] = loop(
              [](auto c, auto in) {
                return std::pair{tanh(c) + in, c * in};
              },
              start, xs);
          return sum(out * out) + sum(last);
        };
        // the value reads the last carry, the gradient every one
        return std::tuple{run(x, h), grad(run)(x, h)};
      },
      in<f64, 4, 2>, in<f64, 2>);
  const std::vector<double> x{0.5, -1, 2, 0.25, -0.75, 1, 0.125, 3}, h{0.3, -0.4};
  const auto value = [&](const std::vector<double>& xs) {
    double total = 0;
    for (std::size_t j = 0; j < 2; ++j) {
      double c = h[j];
      for (std::size_t t = 0; t < 4; ++t) {
        total += std::pow(c * xs[2 * t + j], 2);
        c = std::tanh(c) + xs[2 * t + j];
      }
      total += c;
    }
    return total;
  };
  const auto [got, gradient] = f(x, h);
  CHECK(got.item() == doctest::Approx(value(x)).epsilon(1e-13));
  for (std::size_t k = 0; k < 8; ++k) {
    std::vector<double> up = x, down = x;
    up[k] += 1e-5, down[k] -= 1e-5;
    CHECK(gradient[static_cast<i64>(k)] == doctest::Approx((value(up) - value(down)) / 2e-5).epsilon(1e-6));
  }
}

namespace {

// Newton's iteration for the square root of v, until it is close; and how many steps that took.
constexpr auto newton = [](auto v) {
  return while_loop<40>([=](const auto& c) { return abs(std::get<0>(c) * std::get<0>(c) - v) > 1e-9; },
                        [=](const auto& c) {
                          const auto& [x, n] = c;
                          return std::tuple{0.5 * (x + v / x), n + 1};
                        },
                        std::tuple{v * 0 + 1, zeros<i32>()});
};

}  // namespace

TEST_CASE("while_loop: as many trips as its condition holds, at most so many, each sample's own") {
  auto roots = compile(
      test_device(), [](auto x) { return vmap(newton)(x); }, in<f64, 64>);
  auto bounded = compile(
      test_device(),
      [](auto x, auto most) {
        const auto body = [](const auto& c) { return std::tuple{std::get<0>(c) * 2, std::get<1>(c) - 1}; };
        const auto left = [](const auto& c) { return std::get<1>(c) > 0; };
        return while_loop<6>(left, body, std::tuple{x, most});
      },
      in<f64, 65>, in<i64>);
  std::vector<double> x(64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.01 + static_cast<double>(i * i);
  const auto [y, n] = roots(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double root = 1;
    int steps = 0;
    while (std::fabs(root * root - x[i]) > 1e-9 && steps < 40) root = 0.5 * (root + x[i] / root), ++steps;
    CHECK(y[static_cast<i64>(i)] == doctest::Approx(root).epsilon(1e-14));
    CHECK(n[static_cast<i64>(i)] == steps);
  }
  const std::vector<double> ones(65, 1.0);
  for (const i64 trips : {-3, 0, 1, 5, 6, 100}) {
    const auto [value, left] = bounded(ones, trips);
    const i64 made = trips < 0 ? 0 : trips > 6 ? 6 : trips;
    CHECK(value[64] == static_cast<double>(i64{1} << made));
    CHECK(left.item() == trips - made);
  }
}

namespace {

// at 0 the body divides by nothing, and what it captures has an infinite slope
constexpr auto root_of = [](auto v) {
  return while_loop<50>([=](const auto& x) { return abs(x * x - v) > 1e-12; },
                        [=](const auto& x) { return 0.5 * (x + v / x); }, v);
};
constexpr auto weighted = [](auto x, auto weight) {
  const auto last = while_loop<3>([](const auto& c) { return std::get<0>(c) > 0; },
                                  [=](const auto& c) {
                                    const auto& [left, all] = c;
                                    return std::tuple{left - 1, all + weight / left + sqrt(weight * left)};
                                  },
                                  std::tuple{x, x * 2});
  return std::get<1>(last);
};
constexpr auto root_slope = [](auto v) { return grad(root_of)(v); };

}  // namespace

TEST_CASE("while_loop: where no trip is made, what the body is at the start counts for nothing") {
  auto f = compile(
      test_device(),
      [](auto x, auto left, auto weight) {
        return std::tuple{
            vmap(value_and_grad(root_of))(x), vmap(grad(root_slope))(x),
            grad<0, 1>([](auto a, auto w) { return sum<>(vmap(weighted)(a, w)); })(left, weight)};
      },
      in<f64, 65>, in<f64, 3>, in<f64, 3>);
  std::vector<double> x(65);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? 0.0 : static_cast<double>(i);
  const auto [roots, curves, slopes] = f(x, std::vector<double>{0, -1, 2}, std::vector<double>{0, 0, 4});
  const auto& [values, first] = roots;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto at = static_cast<i64>(i);
    CHECK(values[at] == doctest::Approx(std::sqrt(x[i])).epsilon(1e-9));
    CHECK(first[at] == doctest::Approx(x[i] <= 1 ? 1 : 0.5 / std::sqrt(x[i])).epsilon(1e-7));
    if (x[i] == 0) CHECK(curves[at] == 0);
  }
  const auto& [left, weight] = slopes;
  CHECK(left[0] == 2);
  CHECK(left[1] == 2);
  // trips at 2 and at 1
  CHECK(left[2] == doctest::Approx(2 - 4.0 / 4 + 0.5 * std::sqrt(2.0) - 4.0 / 1 + 0.5 * 2));
  CHECK(weight[0] == 0);
  CHECK(weight[1] == 0);
  CHECK(weight[2] == doctest::Approx(1.0 / 2 + 0.5 * std::sqrt(0.5) + 1 + 0.5 / 2));
}

TEST_CASE("while_loop: gradients of the trips that were made, and of those alone") {
  CHECK(gradcheck([](auto x) { return std::get<0>(vmap(newton)(x)); }, point<7>(0.3, 9)).ok());
  // the trip behind the last would divide by nothing
  auto slopes = compile(
      test_device(),
      [](auto x) {
        const auto down = [](auto v) {
          const auto last = while_loop<8>([](const auto& c) { return c > 0.5; },
                                          [](const auto& c) { return c - 1 + 0 / (c - 0.5); }, v);
          return last * last;
        };
        return std::tuple{grad(down)(x), grad([&](auto v) { return grad(down)(v); })(x)};
      },
      in<f64>);
  const auto [first, second] = slopes(3.5);
  CHECK(first.item() == 1);  // 2 (x - 3) at 3.5
  CHECK(second.item() == 2);
}
