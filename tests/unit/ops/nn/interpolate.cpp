#include "weft/ops/nn/interpolate.hpp"

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
