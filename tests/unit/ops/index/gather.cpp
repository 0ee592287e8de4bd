#include "weft/ops/index/gather.hpp"

#include "support/error_of.hpp"
#include "support/parity.hpp"
#include "unit/ops/weighted.hpp"
#include "weft/ops/shape/rearrange.hpp"

using namespace weft;
using namespace weft::testing;

TEST_CASE("gather: elements and slices by index as PyTorch takes them") {
  check_group(
      "gather",
      [](auto x, auto index, auto few, auto rows) {
        return std::tuple{gather<1>(x, index),
                          gather<1>(x, few),
                          gather<2>(transpose<1, 2>(x), transpose<1, 2>(index)),
                          take_along_dim<1>(x, slice<2, 0, 1>(slice<1, 0, 2>(index))),
                          reshape<18>(take_along_dim(x, select<0, 0>(index))),
                          index_select<1>(x, rows),
                          index_select<0>(x, rows),
                          index_select<2>(transpose<0, 2>(x), rows),
                          take(x, few * 7 + 3),
                          take(x, -1 - few),
                          gather<0>(index, slice<1, 0, 5>(fmod(index, 4))),
                          gather<1>(x > 0, index)};
      },
      in<f32, 4, 5, 3>, in<i64, 4, 6, 3>, in<i64, 3, 2, 2>, in<i32, 4>);
}

TEST_CASE("gather: a computed index outside gives NaN, or 0 for integers; one in an argument is an Error") {
  auto f = compile(
      test_device(),
      [](auto x, auto i) {
        return std::tuple{gather<0>(x, i - 10), gather<0>(cast<i32>(x), i - 10)};
      },
      in<f32, 3>, in<i32, 4>);
  const auto [real, whole] = f(std::vector<f32>{5, 6, 7}, std::vector<i32>{7, 12, 13, 6});
  CHECK(real[0] == 5);
  CHECK(real[1] == 7);
  CHECK(std::isnan(real[2]));
  CHECK(std::isnan(real[3]));
  CHECK(whole.to_vector() == std::vector<i32>{5, 7, 0, 0});
  auto given = compile(
      test_device(), [](auto x, auto i) { return gather<0>(x, i); }, in<f32, 3>, in<i32, 4>);
  CHECK(testing::error_of([&] {
          given(std::vector<f32>{5, 6, 7}, std::vector<i32>{-3, 2, 3, 0});
        }) == "call/index");
}

TEST_CASE("gather: one launch, whatever views it reads") {
  CHECK(decltype(compile(
            Cpu{}, [](auto x, auto i) { return index_select<1>(permute<1, 0>(x), i); }, in<f32, 6, 9>,
            in<i32, 5>))::launches() == 1);
  CHECK(decltype(compile(
            Cpu{}, [](auto x, auto i) { return gather<1>(slice<1, 2, 8>(x), i); }, in<f32, 6, 9>,
            in<i64, 6, 4>))::launches() == 1);
}
TEST_CASE("gather: by what is computed from the tensor itself") {
  const auto next = [](auto x) { return gather<0>(x, x + 1); };
  auto three = compile(test_device(), next, in<i64, 3>);
  CHECK(three(std::vector<i64>{-1, 0, 1}).to_vector() == std::vector<i64>{-1, 0, 1});
  auto one = compile(test_device(), next, in<i64, 1>);
  CHECK(one(std::vector<i64>{-1}).to_vector() == std::vector<i64>{-1});
}
