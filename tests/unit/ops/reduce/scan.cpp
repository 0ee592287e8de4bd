#include "weft/ops/reduce/scan.hpp"

#include "support/parity.hpp"
#include "unit/ops/weighted.hpp"
#include "weft/ops/shape/rearrange.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("scan: running sums, products, extrema and logarithms as PyTorch has them") {
  check_group(
      "scan",
      [](auto z, auto s, auto n) {
        const auto [most, most_at] = cummax<1>(z);
        const auto [least, least_at] = cummin<-1>(z);
        const auto [smost, smost_at] = cummax<1>(s);
        const auto [nmost, nmost_at] = cummax<1>(n);
        return std::tuple{cumsum<1>(z),
                          cumsum<0>(z),
                          cumsum<-1>(z),
                          cumsum<1>(transpose<0, 2>(z)),
                          cumsum<1>(slice<1, 0, to_end, 2>(flip<1>(z))),
                          cumprod<1>(z),
                          most,
                          most_at,
                          least,
                          least_at,
                          logcumsumexp<1>(z),
                          diff<1>(z),
                          diff<1, 2>(z),
                          cumsum<1>(s),
                          smost,
                          smost_at,
                          std::get<0>(cummin<1>(s)),
                          logcumsumexp<1>(s),
                          cumsum<0>(n),
                          cumprod<1>(n),
                          nmost,
                          nmost_at,
                          cumsum<1>(n > 0),
                          cumsum<1>(slice<1, 0, 1>(z))};
      },
      in<f32, 2, 7, 3>, in<f32, 4, 4>, in<i64, 3, 6>);
}

TEST_CASE("scan: gradients with zeros and ties as PyTorch has them") {
  check_group(
      "scan_gradient",
      [](auto z, auto s) {
        return std::tuple{weighted([](auto v) { return cumsum<1>(v); })(z),
                          weighted([](auto v) { return cumprod<1>(v); })(z),
                          weighted([](auto v) { return std::get<0>(cummax<1>(v)); })(z),
                          weighted([](auto v) { return std::get<0>(cummin<-1>(v)); })(z),
                          weighted([](auto v) { return logcumsumexp<1>(v); })(z),
                          weighted([](auto v) { return std::get<0>(cummax<1>(v)); })(slice<0, 3, 4>(s))};
      },
      in<f32, 2, 7, 3>, in<f32, 4, 4>);
}

TEST_CASE("scan: views cost no launch of their own, and small floats are summed in f32") {
  CHECK(decltype(compile(
            Cpu{}, [](auto x) { return cumsum<0>(flip<1>(transpose<0, 1>(x))); },
            in<f32, 6, 9>))::launches() == 1);
  auto f = compile(
      test_device(), [](auto x) { return cumsum<0>(x); }, in<bf16, 400>);
  const std::vector<bf16> ones(400, bf16(1.0f));
  CHECK(static_cast<float>(f(ones)[399]) == 400.0f);  // in bf16 steps it would stop at 256
}

TEST_CASE("scan: long lines, whatever the number of threads") {
  constexpr auto running = [](auto x) { return std::tuple{cumsum<-1>(x), cumsum<0>(x)}; };
  auto one = compile(Cpu{1}, running, in<f32, 19, 5000>), two = compile(Cpu{2}, running, in<f32, 19, 5000>);
  std::vector<f32> x(19 * 5000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<f32>((i * 2654435761u >> 8) % 1000) * 0.001f;
  const auto [a, b] = one(x);
  const auto [c, d] = two(x);
  CHECK(a.to_vector() == c.to_vector());
  CHECK(b.to_vector() == d.to_vector());
  double total = 0;
  for (std::size_t i = 0; i < 5000; ++i) total += static_cast<double>(x[i]);
  CHECK(static_cast<double>(a(0, 4999)) == doctest::Approx(total).epsilon(1e-7));
}
