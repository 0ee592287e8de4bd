#include "weft/ops/nn/interpolate.hpp"

#include <algorithm>
#include <cmath>

#include "unit/nn/reference.hpp"
#include "weft/ops/shape/slicing.hpp"
#include "weft/ops/transform/vjp.hpp"

using namespace nn_test;
using enum Interpolation;

namespace {

template <InterpolateOptions... Options>
struct Cases {
  // (y, dx) of each case, dx that of sum(y * the upstream's first elements).
  static constexpr auto results(auto x, auto upstream) {
    return std::tuple_cat(both<Options>(x, upstream)...);
  }

 private:
  template <InterpolateOptions O>
  static constexpr auto both(auto x, auto upstream) {
    const auto f = [](auto e) { return interpolate<O>(e); };
    const auto y = f(x);
    using S = typename decltype(y)::shape;
    const auto g = [&]<i64... D>(Shape<D...>) { return reshape<D...>(slice<0, 0, S::size>(upstream)); }
    (S{});
    return std::tuple{y, vjp(f)(x, g)};
  }
};

template <class C, i64... X>
void check_cases(const char* input, std::initializer_list<const char*> names) {
  static const auto file = open("interpolate");
  auto function = compile(
      test_device(), [](auto x, auto upstream) { return C::results(x, upstream); }, in<f32, X...>,
      in<f32, 600>);
  const auto results = function(values(file, input), values(file, "upstream"));
  constexpr std::size_t count = std::tuple_size_v<std::remove_cvref_t<decltype(results)>>;
  REQUIRE(count == 2 * names.size());
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    const auto one = [&](const auto& got, std::size_t k) {
      const std::string key = std::string(names.begin()[k / 2]) + (k % 2 == 0 ? ".y" : ".dx");
      const auto& wanted = file.at(key).shape;
      const auto shape = std::remove_cvref_t<decltype(got)>::shape::value;
      REQUIRE(static_cast<int>(wanted.size()) == shape.rank);
      for (int a = 0; a < shape.rank; ++a) REQUIRE(wanted[static_cast<std::size_t>(a)] == shape.extent[a]);
      check_close(got.data(), values(file, key), shape.size(), key);
    };
    (one(std::get<K>(results), K), ...);
  }
  (std::make_index_sequence<count>{});
}

}  // namespace

TEST_CASE("interpolate: one axis to any extent agrees with PyTorch, with gradients") {
  check_cases<Cases<InterpolateOptions{.size = 10}, InterpolateOptions{.scale_factor = 1.7},
                    InterpolateOptions{.size = 4, .mode = nearest_exact},
                    InterpolateOptions{.scale_factor = 0.65, .mode = nearest_exact},
                    InterpolateOptions{.size = 4, .mode = linear},
                    InterpolateOptions{.scale_factor = 1.7, .mode = linear},
                    InterpolateOptions{.scale_factor = 1.7, .mode = linear, .recompute_scale_factor = true},
                    InterpolateOptions{.scale_factor = 1.7, .mode = linear, .align_corners = true},
                    InterpolateOptions{.scale_factor = 0.5, .mode = area}>,
              2, 3, 7>("x1", {"nearest", "nearest_factor", "exact", "exact_factor", "linear_smaller",
                              "linear_factor", "linear_recomputed", "linear_aligned", "area"});
}
TEST_CASE("interpolate: images to any extents agree with PyTorch, with gradients") {
  check_cases<Cases<InterpolateOptions{.scale_factor = {2, 1.3}, .mode = nearest_exact},
                    InterpolateOptions{.scale_factor = {1.5, 0.7}, .mode = Interpolation::bilinear},
                    InterpolateOptions{.size = {3, 9}, .mode = linear, .antialias = true},
                    InterpolateOptions{.size = {8, 4}, .mode = Interpolation::bicubic},
                    InterpolateOptions{.scale_factor = {2, 1.1}, .mode = cubic},
                    InterpolateOptions{.size = {3, 10}, .mode = cubic, .align_corners = true},
                    InterpolateOptions{.scale_factor = {0.6, 0.5}, .mode = cubic, .antialias = true}>,
              2, 2, 5, 7>("x2", {"exact_two", "bilinear_factors", "bilinear_antialias", "bicubic",
                                 "bicubic_factor", "bicubic_aligned", "bicubic_antialias"});
}
TEST_CASE("interpolate: volumes to any extents agree with PyTorch, with gradients") {
  check_cases<
      Cases<InterpolateOptions{.size = {2, 6, 8}}, InterpolateOptions{.size = {5, 3, 7}, .mode = linear},
            InterpolateOptions{.scale_factor = 1.5, .mode = Interpolation::trilinear, .align_corners = true},
            InterpolateOptions{.size = {2, 4, 3}, .mode = area}>,
      1, 2, 3, 4, 5>("x3", {"nearest_three", "trilinear", "trilinear_aligned", "area_three"});
}
TEST_CASE("interpolate: nearest places pass infinities on as they are") {
  auto function = compile(
      test_device(), [](auto x) { return interpolate<InterpolateOptions{.size = 5}>(x); }, in<f64, 1, 1, 3>);
  const double infinity = std::numeric_limits<double>::infinity();
  const auto y = function(std::vector<double>{1, infinity, -2}).to_vector();
  CHECK(y == std::vector<double>{1, 1, infinity, infinity, -2});
}

namespace {

// PyTorch's formulas, of one line, in double.
std::vector<double> resized(const std::vector<double>& x, int to, bool cubic, bool align_corners) {
  const int from = static_cast<int>(x.size());
  const auto weight = [](double d) {
    d = std::abs(d);
    constexpr double a = -0.75;
    return d <= 1 ? (a + 2) * d * d * d - (a + 3) * d * d + 1
                  : a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a;
  };
  std::vector<double> y;
  for (int p = 0; p < to; ++p) {
    double source = align_corners ? p * (from - 1.0) / (to - 1.0) : (p + 0.5) * from / to - 0.5;
    if (!cubic && source < 0) source = 0;
    const double first = std::floor(source), share = source - first;
    double sum = 0;
    for (int k = cubic ? -1 : 0; k <= (cubic ? 2 : 1); ++k) {
      const double w = cubic ? weight(share - k) : k == 0 ? 1 - share : share;
      sum += w * x[static_cast<std::size_t>(std::clamp(static_cast<int>(first) + k, 0, from - 1))];
    }
    y.push_back(sum);
  }
  return y;
}

template <InterpolateOptions O, int From, int To>
void check_long_axis() {
  constexpr bool images = O.mode == cubic;
  constexpr auto X = [] {
    if constexpr (images)
      return in<f32, 2, 1, 1, From>;
    else
      return in<f32, 2, 1, From>;
  }();
  constexpr auto U = [] {
    if constexpr (images)
      return in<f32, 2, 1, 1, To>;
    else
      return in<f32, 2, 1, To>;
  }();
  std::vector<f32> x, u;
  for (int i = 0; i < 2 * From; ++i) x.push_back(static_cast<f32>(std::sin(i * i * 0.37)));
  for (int i = 0; i < 2 * To; ++i) u.push_back(static_cast<f32>(std::cos(i * i * 0.11)));
  auto program = compile(
      test_device(),
      [](auto v, auto g) {
        return std::tuple{interpolate<O>(v), vjp([](auto e) { return interpolate<O>(e); })(v, g)};
      },
      X, U);
  const auto [y, dx] = program(x, u);
  double off = 0, here = 0, there = 0, size = 0;
  for (int line = 0; line < 2; ++line) {
    const auto at = x.begin() + line * From;
    const auto wanted = resized({at, at + From}, To, O.mode == cubic, O.align_corners);
    for (int p = 0; p < To; ++p) {
      const auto i = static_cast<std::size_t>(line * To + p);
      off = std::max(off, std::abs(wanted[static_cast<std::size_t>(p)] - y.to_vector()[i]));
      here += static_cast<double>(y.to_vector()[i]) * u[i];
      size += std::abs(static_cast<double>(y.to_vector()[i]) * u[i]);
    }
  }
  // a linear map and its transpose
  for (std::size_t i = 0; i < x.size(); ++i) there += static_cast<double>(dx.to_vector()[i]) * x[i];
  CHECK(off < 2e-5);
  CHECK(std::abs(here - there) < 1e-5 * size);
}

}  // namespace

TEST_CASE("interpolate: long axes, of which a few elements are picked") {
  check_long_axis<InterpolateOptions{.size = 300, .mode = linear}, 130, 300>();
  check_long_axis<InterpolateOptions{.size = 77, .mode = linear}, 130, 77>();
  check_long_axis<InterpolateOptions{.size = 513, .mode = linear, .align_corners = true}, 257, 513>();
  check_long_axis<InterpolateOptions{.size = {1, 300}, .mode = cubic}, 130, 300>();
  check_long_axis<InterpolateOptions{.size = {1, 259}, .mode = cubic, .align_corners = true}, 130, 259>();
}
