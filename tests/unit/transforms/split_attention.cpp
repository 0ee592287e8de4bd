#include "weft/transforms/split_attention.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "weft/exec/explain.hpp"
#include "weft/interpreter.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

constexpr i64 keys = 4096, heads = 4;

std::vector<f32> wave(i64 count, double speed) {
  std::vector<f32> x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<f32>(std::sin(speed * static_cast<double>(i % 9973) + speed));
  return x;
}

template <class F, class... I>
std::string steps(F, I...) {
  std::string out;
  for (const auto& s : exec::explain_graph(exec::program_graph<exec::FunctionSource<F, I...>>()).steps)
    out += s.kernel + " " + s.shape + "\n";
  return out;
}

// A few queries of whatever lies in front of position n: a mask, a bias, a length, a score function.
constexpr auto decode = [](auto q, auto k, auto v, auto n, auto bias) {
  const auto seen = arange<i32, keys>() < n;
  const auto slopes = arange<i32, heads>();
  return std::tuple{
      scaled_dot_product_attention(q, k, v, seen),
      scaled_dot_product_attention(q, k, v, where(seen, bias, -INFINITY)),
      scaled_dot_product_attention<AttentionOptions{.enable_gqa = true}>(
          q, narrow<1, 0, 2>(k), narrow<1, 0, 2>(v), key_lengths(reshape<1>(n))),
      attention(
          q, k, v,
          [](auto s, auto, auto h, auto i, auto j, auto slope, auto) {
            return s - 0.001 * slope[h] * (j - i);
          },
          [](auto b, auto, auto i, auto j, auto, auto length) { return (j < length + i) & (b == 0); }, slopes,
          n)};
};

}  // namespace

TEST_CASE("split attention: parts of the keys give what all keys give, whatever masks them") {
  constexpr auto q = in<f32, 1, heads, 3, 8>;
  constexpr auto k = in<f32, 1, heads, keys, 8>;
  auto fast = compile(Cpu{2}, decode, q, k, k, in<i32>, in<f32, keys>);
  auto alone = compile(Cpu{1}, decode, q, k, k, in<i32>, in<f32, keys>);
  const auto f64_of = [](auto... x) { return decode(x...); };
  auto exact = compile(Interpreter{}, f64_of, in<f64, 1, heads, 3, 8>, in<f64, 1, heads, keys, 8>,
                       in<f64, 1, heads, keys, 8>, in<i32>, in<f64, keys>);
  const std::vector<f32> x = wave(heads * 3 * 8, 0.37), y = wave(heads * keys * 8, 0.71),
                         z = wave(heads * keys * 8, 1.3), bias = wave(keys, 0.11);
  const auto wide = [](const std::vector<f32>& a) { return std::vector<f64>(a.begin(), a.end()); };
  for (const i32 n : {i32{0}, i32{1}, i32{2000}, i32{2500}, i32{keys}}) {
    CAPTURE(n);
    const auto got = fast(x, y, z, n, bias), one = alone(x, y, z, n, bias);
    const auto wanted = exact(wide(x), wide(y), wide(z), n, wide(bias));
    [&]<std::size_t... R>(std::index_sequence<R...>) {
      const auto compare = [](const auto& a, const auto& b, const auto& c) {
        for (i64 e = 0; e < c.size(); ++e) {
          CHECK(a[e] == doctest::Approx(c[e]).epsilon(2e-5).scale(1));
          CHECK(a[e] == b[e]);  // whatever the number of threads
        }
      };
      (compare(std::get<R>(got), std::get<R>(one), std::get<R>(wanted)), ...);
    }
    (std::make_index_sequence<4>{});
  }
}

TEST_CASE("split attention: few queries of one sequence alone, by the extents alone, and no key is copied") {
  const auto attend = [](auto q, auto k) { return scaled_dot_product_attention(q, k, k); };
  const std::string split = steps(attend, in<f32, 1, 4, 1, 64>, in<f32, 1, 4, 8192, 64>);
  CHECK(split.find("attention (4, 4, 1, 64) by (4, 4, 2048, 64)") != std::string::npos);
  const std::string layer = steps(  // (B, S, H, E), as a cache may have it
      [](auto q, auto k) { return scaled_dot_product_attention(q, transpose<1, 2>(k), transpose<1, 2>(k)); },
      in<f32, 1, 4, 1, 64>, in<f32, 1, 8192, 4, 64>);
  CHECK(layer.find("attention (4, 4, 1, 64) by (4, 4, 2048, 64)") != std::string::npos);
  CHECK(split.find("(4, 4, 2048, 64)\n") == layer.find("(4, 4, 2048, 64)\n"));
  const auto whole = [](const std::string& text) { return text.rfind("attention", 0) == 0; };
  CHECK(whole(steps(attend, in<f32, 1, 4, 17, 64>, in<f32, 1, 4, 8192, 64>)));
  CHECK(whole(steps(attend, in<f32, 1, 4, 1, 64>, in<f32, 1, 4, 2048, 64>)));
  CHECK(whole(steps(attend, in<f32, 2, 4, 1, 64>, in<f32, 2, 4, 8192, 64>)));
  CHECK(whole(steps(attend, in<f32, 1, 4, 1, 64>, in<f32, 1, 4, 8191, 64>)));
  CHECK(whole(steps([](auto q, auto k) { return scaled_dot_product_attention(q, k, k, 0.5); },
                    in<f32, 1, 4, 1, 64>, in<f32, 1, 4, 8192, 64>)));
}

TEST_CASE("split attention: inside a loop, and where a gradient reads the log-sum-exp") {
  const auto f = [](auto q, auto k, auto g) {
    const auto attend = [](auto a, auto b) {
      return loop<2>([&](auto x) { return scaled_dot_product_attention(x, b, b) + a; }, a);
    };
    return std::tuple_cat(std::tuple{attend(q, k)}, grad<0, 1>([&](auto a, auto b, auto e) {
                            return sum<>(attend(a, b) * e);
                          })(q, k, g));
  };
  auto fast = compile(Cpu{2}, f, in<f32, 1, 2, 2, 8>, in<f32, 1, 2, keys, 8>, in<f32, 1, 2, 2, 8>);
  auto exact = compile(Interpreter{}, f, in<f64, 1, 2, 2, 8>, in<f64, 1, 2, keys, 8>, in<f64, 1, 2, 2, 8>);
  const std::vector<f32> x = wave(32, 0.37), y = wave(2 * keys * 8, 0.71), g = wave(32, 1.3);
  const auto wide = [](const std::vector<f32>& a) { return std::vector<f64>(a.begin(), a.end()); };
  const auto got = fast(x, y, g);
  const auto wanted = exact(wide(x), wide(y), wide(g));
  [&]<std::size_t... R>(std::index_sequence<R...>) {
    const auto compare = [](const auto& a, const auto& b) {
      for (i64 e = 0; e < b.size(); ++e) CHECK(a[e] == doctest::Approx(b[e]).epsilon(2e-5).scale(0.1));
    };
    (compare(std::get<R>(got), std::get<R>(wanted)), ...);
  }
  (std::make_index_sequence<3>{});
}
