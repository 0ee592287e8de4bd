#include "weft/exec/argument.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "weft/exec/tensor.hpp"

using namespace weft;

namespace {

using Pair = Input<f32, Shape<2, 3>>;
using One = Input<f32, Shape<>>;
using OneHalf = Input<f16, Shape<>>;

}  // namespace

TEST_CASE("argument: what fits an input, decided by type") {
  static_assert(exec::argument_fits<Pair, Tensor<f32, Shape<2, 3>>>());
  static_assert(!exec::argument_fits<Pair, Tensor<f32, Shape<3, 2>>>());
  static_assert(!exec::argument_fits<Pair, Tensor<i32, Shape<2, 3>>>());
  static_assert(exec::argument_fits<Pair, const float*>());
  static_assert(!exec::argument_fits<Pair, const double*>());
  static_assert(exec::argument_fits<Pair, float[2][3]>());
  static_assert(exec::argument_fits<Pair, float[6]>());
  static_assert(!exec::argument_fits<Pair, float[5]>());
  static_assert(exec::argument_fits<Pair, std::vector<float>>());
  static_assert(!exec::argument_fits<Pair, std::vector<int>>());
  static_assert(exec::argument_fits<One, float>());
  static_assert(!exec::argument_fits<One, double>());
  static_assert(!exec::argument_fits<Pair, float>());
  static_assert(exec::argument_fits<OneHalf, f16>());
  static_assert(!exec::argument_fits<OneHalf, bf16>());
  static_assert(!exec::argument_fits<OneHalf, float>());
  static_assert(!exec::argument_fits<Pair, const char*>());
}

TEST_CASE("argument: where the elements start") {
  Tensor<f32, Shape<2, 3>> tensor;
  std::vector<f32> list(6);
  f32 grid[2][3]{}, one = 3;
  f16 half{3.0f};
  CHECK(exec::argument<Pair, 0, Cpu>(tensor).data == tensor.data());
  CHECK(exec::argument<Pair, 0, Cpu>(list).data == list.data());
  CHECK(exec::argument<Pair, 0, Cpu>(grid).data == &grid[0][0]);
  CHECK(exec::argument<Pair, 0, Cpu>(&grid[0][0]).data == &grid[0][0]);
  CHECK(exec::argument<One, 0, Cpu>(one).data == &one);
  CHECK(exec::argument<OneHalf, 0, Cpu>(half).data == &half);
  CHECK(exec::target<OneHalf, 0>(half) == &half);
}

TEST_CASE("argument: a container of another size is an error that says both sizes") {
  try {
    exec::argument<Pair, 1, Cpu>(std::vector<f32>(5));
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.id() == "call/size");
    CHECK(std::string(error.what()) == "call/size: input 1 takes 6 elements, (2, 3), and was given 5");
  }
}
