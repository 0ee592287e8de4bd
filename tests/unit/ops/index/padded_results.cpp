#include "weft/ops/index/padded_results.hpp"

#include "support/parity.hpp"
#include "unit/ops/weighted.hpp"
#include "weft/ops/shape/rearrange.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("padded_results: results of data-dependent size, cut or filled up to their capacity") {
  check_group(
      "padded_results",
      [](auto x, auto ids, auto weights, auto tenth) {
        const auto [picked, count] = masked_select<6>(x, x > 0);
        const auto [wide, wide_count] = masked_select<8>(x, slice<1, 0, 1>(x) > 1);
        const auto [where_not_zero, found] = nonzero<8>(x);
        const auto [values, number, inverse, counts] = unique<8>(x);
        const auto [runs, run_number, run_inverse, run_counts] =
            unique_consecutive<6>(std::get<0>(sort(ids)));
        return std::tuple{picked,
                          count,
                          std::get<0>(masked_select<2>(x, x > 0)),
                          wide,
                          where_not_zero,
                          found,
                          values,
                          number,
                          inverse,
                          counts,
                          runs,
                          run_inverse,
                          run_counts,
                          bincount<10>(ids),
                          bincount<10>(ids, weights),
                          histc<4>(tenth, 0, 1),
                          weighted<0>([x](auto v) { return std::get<0>(masked_select<6>(v, x > 0)); })(x)};
      },
      in<f32, 2, 4>, in<i64, 6>, in<f32, 6>, in<f32, 9>);
}

TEST_CASE("padded_results: the number found may exceed the capacity") {
  auto f = compile(
      test_device(), [](auto x) { return masked_select<2>(x, x > 0); }, in<f32, 5>);
  const auto [values, count] = f(std::vector<f32>{1, -1, 2, 3, 4});
  CHECK(values.to_vector() == std::vector<f32>{1, 2});
  CHECK(count.item() == 4);
}

TEST_CASE("padded_results: bincount skips values that have no bin") {
  auto f = compile(
      test_device(), [](auto x) { return bincount<3>(x); }, in<i32, 5>);
  CHECK(f(std::vector<i32>{0, -1, 2, 3, 2}).to_vector() == std::vector<i64>{1, 0, 2});
}
