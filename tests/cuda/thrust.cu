// A GPU's tensors under Thrust's algorithms, in the stream of the functions around them.

#include <doctest/doctest.h>
#include <thrust/count.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "weft/thrust.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

constexpr i64 size = 3000;

struct Half {
  __device__ f32 operator()(f32 x) const { return x / 2; }
};
struct Positive {
  __device__ bool operator()(f32 x) const { return x > 0; }
};

std::vector<f32> shuffled() {
  std::vector<f32> v(size);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<f32>(i * 1103 % size) - 1500;
  return v;
}

}  // namespace

TEST_CASE("cuda thrust: algorithms read and write tensors, and results where they lie") {
  const Stream stream;
  const Cuda device{0, stream.get()};
  auto scaled = compile(
      device, [](auto x) { return x * 2; }, in<f32, size>);
  Tensor<f32, Shape<size>, Cuda> x(shuffled(), device);
  const auto policy = thrust_policy(device);

  auto y = scaled(x);
  thrust::transform(policy, begin(y), end(y), begin(y), Half{});
  CHECK(y.to_vector() == shuffled());
  CHECK(thrust::count_if(policy, begin(y), end(y), Positive{}) == 1499);

  // [sort]
  Tensor<i32, Shape<size>, Cuda> places(device);
  thrust::sequence(thrust_policy(device), begin(places), end(places));
  thrust::stable_sort_by_key(thrust_policy(device), begin(x), end(x), begin(places));
  auto z = scaled(x);  // runs behind them, in the same stream
  // [/sort]
  std::vector<f32> wanted = shuffled();
  const std::vector<i32> at = places.to_vector();
  for (std::size_t i = 0; i < wanted.size(); ++i)
    REQUIRE(shuffled()[static_cast<std::size_t>(at[i])] == static_cast<f32>(i) - 1500);
  std::sort(wanted.begin(), wanted.end());
  CHECK(x.to_vector() == wanted);
  CHECK(z.to_vector()[size - 1] == 2 * 1499.0f);

  CHECK(thrust::reduce(policy, begin(places), end(places)) == static_cast<i32>(size * (size - 1) / 2));
}

TEST_CASE("cuda thrust: the host may walk a tensor of the GPU") {
  Tensor<f32, Shape<4>, Cuda> t{4, 3, 2, 1};
  const Tensor<f32, Shape<4>, Cuda>& read = t;
  f32 sum = 0;
  for (const f32 v : read) sum += v;
  CHECK(sum == 10);
  begin(t)[2] = 7;
  CHECK(t.to_vector() == std::vector<f32>{4, 3, 7, 1});
  static_assert(std::is_same_v<decltype(begin(t)), thrust::device_ptr<f32>>);
  static_assert(std::is_same_v<decltype(begin(read)), thrust::device_ptr<const f32>>);
}
