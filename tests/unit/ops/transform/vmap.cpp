#include "weft/ops/transform/vmap.hpp"

#include <cmath>

#include "support/parity.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/ops/core/custom.hpp"
#include "weft/ops/index/index.hpp"
#include "weft/ops/index/sort.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/nn/conv.hpp"
#include "weft/ops/nn/norm.hpp"
#include "weft/ops/random/random.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/reduce/scan.hpp"
#include "weft/ops/shape/concat.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/shape/movement.hpp"
#include "weft/ops/shape/rearrange.hpp"
#include "weft/ops/shape/slicing.hpp"
#include "weft/ops/shape/triangular.hpp"
#include "weft/ops/transform/vjp.hpp"

using namespace weft;
using weft::testing::check_group;
using weft::testing::test_device;

TEST_CASE("vmap: gradients of each sample's loss, as torch.func gives them, and the gradient of vmap") {
  check_group(
      "func_per_sample",
      [](auto w1, auto b1, auto w2, auto x, auto y) {
        const auto loss = [](auto v1, auto c1, auto v2, auto sample, auto target) {
          return mean<>(square(matmul(v2, tanh(matmul(v1, sample) + c1)) - target));
        };
        constexpr int same = unmapped;
        const auto each = vmap<same, same, same, 0, 0>(grad<0, 1, 2>(loss))(w1, b1, w2, x, y);
        const auto total =
            grad([&](auto v1) { return sum(vmap<same, same, same, 0, 0>(loss)(v1, b1, w2, x, y)); })(w1);
        return std::tuple_cat(each, std::tuple{total});
      },
      in<f64, 6, 4>, in<f64, 6>, in<f64, 2, 6>, in<f64, 5, 4>, in<f64, 5, 2>);
}

TEST_CASE("vmap: Jacobians and Hessians row by row") {
  check_group(
      "func_jacobian",
      [](auto w, auto v) {
        const auto f = [&](auto z) { return tanh(matmul(w, z)) * sum(z); };
        const auto g = [&](auto z) { return sum(square(f(z))); };
        const auto rows = vmap<unmapped, 0>(vjp(f))(v, eye<f64, 3>());
        const auto columns = vmap<unmapped, 0>([&](auto z, auto t) { return jvp(f)(z, t).second; });
        const auto bends = vmap<unmapped, 0>([&](auto z, auto t) { return jvp(grad(g))(z, t).second; });
        return std::tuple{rows, transpose<0, 1>(columns(v, eye<f64, 4>())), bends(v, eye<f64, 4>())};
      },
      in<f64, 3, 4>, in<f64, 4>);
}

TEST_CASE("vmap: along other axes, nested, and with operands that are the same for all") {
  check_group(
      "func_axes",
      [](auto p, auto q, auto a, auto b) {
        const auto distance = [](auto s, auto t) { return sum(square(s - t)); };
        const auto to_all = [&](auto s, auto ts) { return vmap<unmapped, 0>(distance)(s, ts); };
        return std::tuple{vmap<1, 2>([](auto m, auto n) { return matmul(m, n); })(p, q),
                          vmap<0, unmapped>(to_all)(a, b), vmap<-1>([](auto m) { return softmax<0>(m); })(p)};
      },
      in<f64, 4, 3, 2>, in<f64, 2, 5, 3>, in<f64, 4, 3>, in<f64, 5, 3>);
}

TEST_CASE("vmap: layers of nets, written for one sample") {
  check_group(
      "func_layers",
      [](auto image, auto kernel, auto rows, auto table, auto place) {
        const auto conv1 = [](auto i, auto k) {
          return squeeze<0>(conv2d<ConvOptions{.stride = 2, .padding = 1}>(unsqueeze<0>(i), k));
        };
        const auto energy = [&](auto i, auto k) { return sum(square(conv1(i, k))); };
        const auto pick = [](auto t, auto i) { return index(t, i); };
        return std::tuple{vmap(conv1)(image, kernel),
                          vmap<0, unmapped>(conv1)(image, select<0, 0>(kernel)),
                          vmap<unmapped, 0>(conv1)(select<0, 0>(image), kernel),
                          vmap(grad<1>(energy))(image, kernel),
                          vmap([](auto m) { return layer_norm(m); })(rows),
                          vmap([](auto m) { return std::get<0>(sort<1>(m)); })(rows),
                          vmap([](auto m) { return cumsum<0>(m); })(rows),
                          vmap(pick)(table, place),
                          vmap(grad([&](auto t, auto i) { return sum(pow(pick(t, i), 3)); }))(table, place),
                          vmap([](auto m) { return argmax<1>(m); })(rows)};
      },
      in<f64, 3, 2, 5, 5>, in<f64, 3, 4, 2, 3, 3>, in<f64, 3, 4, 6>, in<f64, 3, 5, 2>, in<i64, 3, 4>);
}

// A primitive of the program's own: the running sum of squares, whose gradient is not pointwise.
template <>
struct weft::custom_op<weft::op_id("running squares")> {
  template <class T>
  static void host(CustomTensor<T> y, CustomTensor<const T> x) {
    T total = 0;
    for (i64 i = 0; i < y.size(); ++i) y[i] = total += x[i] * x[i];
  }
  static constexpr auto gradient(auto g, auto, auto x) { return 2 * x * (sum(g) - cumsum<0>(g) + g); }
};

namespace {

// f of every sample, one after another.
template <class F, class... A>
constexpr auto one_by_one(const F& f, const A&... a) {
  return stack<0>(f(select<0, 0>(a)...), f(select<0, 1>(a)...), f(select<0, 2>(a)...));
}

}  // namespace

TEST_CASE("vmap: loops, their gradients and a program's own primitives, as one sample after another") {
  auto f = compile(
      test_device(),
      [](auto xs, auto starts, auto w) {
        // (T, 2), (2,) -> (T, 2): what the loop stacks, forward and in reverse, with a loop inside
        const auto recur = [&](auto x, auto h) {
          const auto cell = [&](auto c, auto in) {
            const auto inner = loop<2>([&](auto z) { return tanh(matmul(w, z)) + in; }, c);
            return std::pair{inner * 0.5, inner + 1};
          };
          const auto [last, out] = loop(cell, h, x);
          const auto back = reverse_loop(
                                [&](auto c, auto in) {
                                  return std::pair{c + in, c * in};
                                },
                                last, out)
                                .second;
          return back + out;
        };
        const auto start = select<0, 1>(starts);
        const auto series = select<0, 2>(xs);
        const auto by_series = [&](auto x) {
          return recur(x, start);
        };  // the carry becomes mapped in the loop
        const auto by_start = [&](auto h) { return recur(series, h); };
        const auto slope = [&](auto x, auto h) {
          return grad([&](auto a) { return sum(square(recur(a, h))); })(x);
        };
        const auto own = [](auto h) { return custom<op_id("running squares")>(h * 2); };
        const auto own_slope = grad([&](auto h) { return sum(square(own(h))); });
        const auto total = [&](auto h) { return sum(square(vmap(own)(h))); };
        return std::tuple{vmap(by_series)(xs),     one_by_one(by_series, xs),
                          vmap(by_start)(starts),  one_by_one(by_start, starts),
                          vmap(slope)(xs, starts), one_by_one(slope, xs, starts),
                          vmap(own)(starts),       one_by_one(own, starts),
                          vmap(own_slope)(starts), one_by_one(own_slope, starts),
                          grad(total)(starts),     one_by_one(own_slope, starts)};
      },
      in<f64, 3, 4, 2>, in<f64, 3, 2>, in<f64, 2, 2>);
  std::vector<double> xs(24), starts(6), w{0.3, -0.5, 0.7, 0.2};
  for (std::size_t i = 0; i < 24; ++i) xs[i] = std::sin(static_cast<double>(7 * i + 1));
  for (std::size_t i = 0; i < 6; ++i) starts[i] = std::cos(static_cast<double>(3 * i + 2));
  const auto results = f(xs, starts, w);
  const auto check = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
    const auto all = std::get<2 * K>(results).to_vector(), each = std::get<2 * K + 1>(results).to_vector();
    REQUIRE(all.size() == each.size());
    INFO(K);
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i] == doctest::Approx(each[i]).epsilon(1e-12));
  };
  [&]<std::size_t... K>(std::index_sequence<K...>) { (check(std::integral_constant<std::size_t, K>{}), ...); }
  (std::make_index_sequence<6>{});
}

TEST_CASE("vmap: every sample draws its own random numbers, and what no sample changes is the same for all") {
  auto f = compile(
      test_device(),
      [](auto x) {
        const auto noisy = [](auto s) { return s * 0 + rand<f64, 5>(); };
        const auto walk = [](auto s) { return loop<3>([](auto c) { return c + rand<f64, 5>(); }, s * 0); };
        const auto constant = [&](auto) { return sum(x); };
        return std::tuple{vmap(noisy)(x), vmap(walk)(x),
                          loop<2>([&](auto c) { return c + vmap(noisy)(x); }, x * 0), vmap(constant)(x)};
      },
      in<f64, 4, 5>);
  const std::vector<double> x(20, 0.25);
  const auto [noise, walked, looped, same] = f(x);
  for (i64 i = 0; i < 20; ++i)
    for (i64 k = 0; k < i; ++k) {
      CHECK(noise[i] != noise[k]);
      CHECK(walked[i] != walked[k]);
      CHECK(looped[i] != looped[k]);
    }
  double mean = 0;
  for (i64 i = 0; i < 20; ++i) {
    CHECK(noise[i] >= 0);
    CHECK(noise[i] < 1);
    CHECK(looped[i] != 2 * noise[i]);
    mean += walked[i] / 60;
  }
  CHECK(mean > 0.3);
  CHECK(mean < 0.7);
  for (i64 i = 0; i < 4; ++i) CHECK(same[i] == 5);
}

TEST_CASE("vmap: of literals alone, with and without what the function captures, and results of literals") {
  auto f = compile(
      test_device(),
      [](auto x, auto w) {
        const auto squares = [&](auto z) { return square(matmul(w, z)); };
        const auto rows = vmap([&](auto t) { return vjp(squares)(x, t); })(eye<f64, 2>());  // the Jacobian
        const auto twice = vmap([](auto s) { return s * 2; })(arange<f64, 3>());
        const auto [sums, starts] = vmap([](auto s) {
          return std::tuple{sum(s), ones<i64, 2>()};
        })(reshape<2, 3>(arange<f64, 6>()));
        const auto fixed = vmap([](auto) { return arange<i64, 2>() + 5; })(x);
        const auto inside = loop<2>(
            [](auto c) { return c + sum<0>(vmap([](auto s) { return s + 1; })(arange<f64, 3>())); }, sum(x));
        return std::tuple{rows, twice + x, sums + sum(x) * 0, starts + sum<0>(fixed) * 0, inside};
      },
      in<f64, 3>, in<f64, 2, 3>);
  const std::vector<double> x{1, 2, -1}, w{0.5, 1, 2, -1, 3, 1};
  const auto [rows, twice, sums, starts, inside] = f(x, w);
  for (std::size_t r = 0; r < 2; ++r) {
    double y = 0;
    for (std::size_t k = 0; k < 3; ++k) y += w[3 * r + k] * x[k];
    for (std::size_t k = 0; k < 3; ++k)
      CHECK(rows.data()[3 * r + k] == doctest::Approx(2 * y * w[3 * r + k]));
  }
  CHECK(twice.to_vector() == std::vector<double>{1, 4, 3});
  CHECK(sums.to_vector() == std::vector<double>{3, 12});
  CHECK(starts.to_vector() == std::vector<i64>{1, 1, 1, 1});
  CHECK(inside.item() == 2 + 2 * 6);
  const Tensor<f32, Shape<2, 3>, Cpu> t(std::vector<f32>{1, 2, 3, 4, 5, 6});
  const Tensor<f32, Shape<2>, Cpu> each = vmap([](auto row) { return sum(row * row); })(t);
  CHECK(each.to_vector() == std::vector<f32>{14, 77});
  const int times = static_cast<int>(x.size());
  CHECK_THROWS_AS(static_cast<void>(vmap([times](auto row) { return row * times; })(ones<f32, 2>())), Error);
}
