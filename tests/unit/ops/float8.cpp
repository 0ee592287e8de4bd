// Operations on the 8-bit floats.

#include "unit/ops/float8.hpp"

#include "support/device.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/index/sort.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/nn/activation.hpp"

using namespace float8_test;

namespace {

template <class T>
void check_arithmetic() {
  using S = Shape<4, 6>;
  const ReferenceGroup group = read_group(std::string("float8/arithmetic_") + name_of(dtype_of<T>));
  auto function = compile(
      test_device(),
      [](auto a, auto b, auto big, auto o, auto h, auto f, auto n, auto places) {
        return std::tuple{a + b,
                          a - b,
                          a * b,
                          a / b,
                          -a,
                          abs(a),
                          maximum(a, b),
                          floor(a),
                          a * 0.5,
                          a + 3,
                          a * n,
                          big + big,
                          -big * big,
                          exp(a),
                          tanh(a),
                          sum<1>(a),
                          mean<1>(a),
                          amax<1>(a),
                          matmul(a, t(b)),
                          std::get<0>(sort(a)),
                          cat(a, b),
                          where(a > b, a, b),
                          index_select<1>(a, places),
                          a == b,
                          a < b,
                          isnan(big - big * 2),
                          argmax<1>(a),
                          a + o,
                          a + h,
                          a + f};
      },
      in<T, 4, 6>, in<T, 4, 6>, in<T, 4, 6>, in<OtherFloat8<T>, 4, 6>, in<bf16, 4, 6>, in<f32, 4, 6>,
      in<i32, 4, 6>, in<i64, 3>);
  const auto& given = group.inputs;
  const i64 places[3] = {5, 0, 0};
  const auto results =
      function(tensor<T, S>(given[0].values), tensor<T, S>(given[1].values), tensor<T, S>(given[2].values),
               tensor<OtherFloat8<T>, S>(given[3].values), tensor<bf16, S>(given[4].values),
               tensor<f32, S>(given[5].values), tensor<i32, S>(given[6].values), &places[0]);
  check_all_same(results, group);
}

}  // namespace

TEST_CASE("float8: arithmetic is that of f32, rounded once") {
  check_arithmetic<f8e4m3>();
  check_arithmetic<f8e5m2>();
}
