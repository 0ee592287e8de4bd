// Long lines sorted by CUB: the places, the values and what is selected by them are those of the host.

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "support/numbers.hpp"
#include "weft/cub.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

int calls = 0;
template <u64 T>
bool (*by_cub)(const kernels::AxisArgs&, cudaStream_t) = nullptr;

// Counts the sorts that CUB has served.
template <class E>
void watch() {
  constexpr u64 T = static_cast<u64>(dtype_of<E>);
  if (by_cub<T> != nullptr) return;
  by_cub<T> = kernels::sort_long_lines<T>;
  kernels::sort_long_lines<T> = [](const kernels::AxisArgs& args, cudaStream_t stream) {
    const bool served = by_cub<T>(args, stream);
    calls += served ? 1 : 0;
    return served;
  };
}

// f of x on the host and on the GPU: the same bits, by `sorts` calls of CUB, which are captured once.
template <i64... D, class E, class F>
void compare(int sorts, const std::vector<E>& data, F f) {
  watch<E>();
  calls = 0;
  auto host = compile(Cpu{}, f, in<E, D...>);
  auto gpu = compile(Cuda{}, f, in<E, D...>);
  const Tensor<E, Shape<D...>> x(data);
  const Tensor<E, Shape<D...>, Cuda> y(data);
  const auto wanted = host(x);
  for (int call = 0; call < 2; ++call) {
    const auto got = gpu(y);
    bool same = true;
    std::apply(
        [&](const auto&... w) {
          std::apply([&](const auto&... g) { (void(same = same && g.to_vector() == w.to_vector()), ...); },
                     got);
        },
        wanted);
    CHECK(same);
  }
  CHECK(calls == sorts);
}

// Few values, so that most have equals.
template <class E>
std::vector<E> repeated(i64 n) {
  std::vector<E> v(static_cast<std::size_t>(n));
  u64 state = 88172645463325252ull;
  for (E& x : v) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    x = static_cast<E>(static_cast<i64>(state % 401) - 200) / 2;
  }
  return v;
}

}  // namespace

TEST_CASE("cuda cub: lines of several tiles") {
  const auto all = [](auto x) {
    return std::tuple{argsort(x), argsort(x, descending), std::get<0>(sort(x)), std::get<1>(topk<5>(x))};
  };
  compare<20011>(3, repeated<f32>(20011), all);
  compare<3, 4099>(3, repeated<f32>(3 * 4099), all);
  compare<9000>(3, repeated<f64>(9000), all);
  compare<5, 2049>(3, repeated<i32>(5 * 2049), all);
  compare<2, 3001>(3, repeated<i64>(2 * 3001), all);
}

TEST_CASE("cuda cub: lines along an axis in front") {
  const auto columns = [](auto x) {
    return std::tuple{argsort<0>(x), argsort<0>(x, descending), std::get<1>(topk<3, 0>(x))};
  };
  compare<2500, 5>(3, repeated<f32>(2500 * 5), columns);
  compare<2500, 5>(3, repeated<i64>(2500 * 5), columns);
  compare<2, 2500, 3>(1, repeated<f32>(2 * 2500 * 3),
                      [](auto x) { return std::tuple{argsort<1>(transpose<0, 2>(x))}; });
}

TEST_CASE("cuda cub: NaN comes last, and zeros of both signs are equal") {
  std::vector<f32> v = repeated<f32>(5000);
  for (std::size_t i = 0; i < v.size(); i += 7) v[i] = i % 2 ? -0.0f : 0.0f;
  for (std::size_t i = 3; i < v.size(); i += 11) v[i] = i % 2 ? -NAN : NAN;
  for (std::size_t i = 5; i < v.size(); i += 13) v[i] = i % 2 ? -INFINITY : INFINITY;
  compare<5000>(2, v, [](auto x) { return std::tuple{argsort(x), argsort(x, descending)}; });
}

TEST_CASE("cuda cub: what is selected by sorted lines, and short ones, which it leaves alone") {
  compare<6000>(1, repeated<f32>(6000), [](auto x) { return std::tuple{median(x), quantile(x, 0.3f)}; });
  compare<6000>(1, repeated<i32>(6000), [](auto x) { return std::tuple{std::get<0>(unique<401>(x))}; });
  compare<2048>(0, repeated<f32>(2048), [](auto x) { return std::tuple{argsort(x)}; });
  CHECK(calls == 0);
}
