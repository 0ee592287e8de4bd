#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "emulated/program.hpp"
#include "support/numbers.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/random/random.hpp"
#include "weft/ops/reduce/composed.hpp"
#include "weft/ops/shape/creation.hpp"

using namespace weft;
using weft::testing::numbers;

namespace {

// Compares result k of both programs: bit for bit, or within `tolerance` of the larger of 1 and the value.
template <class E, class Host, class Gpu>
void compare(const std::string& what, int k, const Host& host, const Gpu& gpu, double tolerance) {
  using T = typename E::dtype;
  const T* a = reinterpret_cast<const T*>(host.output(k));
  const T* b = reinterpret_cast<const T*>(gpu.output(k));
  i64 wrong = 0, first = -1;
  for (i64 i = 0; i < E::shape::size; ++i) {
    bool same = std::memcmp(a + i, b + i, sizeof(T)) == 0;
    if (!same && tolerance > 0) {
      const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
      same = std::abs(x - y) <= tolerance * std::max(1.0, std::abs(x));
    }
    if (!same && wrong++ == 0) first = i;
  }
  const std::string message = what + ": result " + std::to_string(k) + ", " + std::to_string(wrong) +
                              " wrong, first at " + std::to_string(first);
  INFO(message);
  CHECK(wrong == 0);
}

// Runs f on the host and in emulated blocks, several times in other orders.
template <class F, class... I>
void check_program(const std::string& what, double tolerance, F, I...) {
  using Source = exec::FunctionSource<F, I...>;
  using P = exec::Compiled<Source>;
  using Results = typename exec::Results<typename Source::result>::tuple;
  exec::HostProgram<P> host(Cpu{}, {});
  emulated::Program<P> gpu(emulated::Device{}, {});
  const std::tuple<std::vector<typename I::dtype>...> data{numbers<typename I::dtype>(
      I::shape::size, static_cast<u32>(I::shape::size) * 77u + sizeof(typename I::dtype))...};
  std::apply(
      [&](const auto&... v) {
        int k = 0;
        ((host.bind_input(k, v.data()), gpu.bind_input(k, v.data()), ++k), ...);
      },
      data);
  host.set_random(42, 7);
  gpu.set_random(42, 7);
  host.run();
  for (int repeat = 0; repeat < 2; ++repeat) {
    gpu.run();
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      (compare<std::tuple_element_t<K, Results>>(what, static_cast<int>(K), host, gpu, tolerance), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<Results>>{});
  }
}

constexpr double sums = 1e-5;

auto layer_norm = [](auto x, auto w, auto b) {
  auto d = x - mean<-1>(x, keepdim);
  return d * rsqrt(mean<-1>(d * d, keepdim) + 1e-5f) * w + b;
};

}  // namespace

TEST_CASE("fused: pointwise chains give the host's bits") {
  check_program(
      "bias and gelu", 0, [](auto x, auto b) { return gelu(x + b); }, in<f32, 6, 96>, in<f32, 96>);
  check_program(
      "odd columns", 0, [](auto x, auto b) { return gelu(x + b); }, in<f32, 6, 7>, in<f32, 7>);
  check_program(
      "flat, ragged end", 0, [](auto x) { return tanh(x) * 2.0f; }, in<f32, 5003>);
  check_program(
      "flat, bf16", 0, [](auto x) { return x * x; }, in<bf16, 4099>);
  check_program(
      "f64", 0, [](auto x, auto b) { return x * b + 1.0; }, in<f64, 9, 34>, in<f64, 34>);
  check_program(
      "transposed", 0, [](auto x, auto y) { return permute<1, 0>(x) + y; }, in<f32, 40, 24>, in<f32, 24, 40>);
  check_program(
      "padded", 0,
      [](auto x) {
        constexpr i64 low_high[]{1, 2, 3, 1};
        return Expr<f32, Shape<8, 12>>{ir::pad(x.value, low_high, 0.5)} * 2.0f;
      },
      in<f32, 5, 8>);
  check_program(
      "masks", 0,
      [](auto x, auto y) {
        return std::tuple{x < y, where(x < y, x, y)};
      },
      in<f32, 3, 16>, in<f32, 3, 16>);
  check_program(
      "dropout", 0, [](auto x) { return dropout(x, 0.3f); }, in<f32, 12, 36>);
  check_program(
      "dropout, odd", 0, [](auto x) { return dropout(x, 0.3f); }, in<f32, 11, 7>);
}

TEST_CASE("fused: rows") {
  check_program("softmax, one value a thread", sums, SoftmaxOp<-1>{}, in<f32, 5, 96>);
  check_program("softmax, four rows a warp", sums, SoftmaxOp<-1>{}, in<f32, 9, 10>);
  check_program("softmax, kept in shared memory", sums, SoftmaxOp<-1>{}, in<f32, 2, 2500>);
  check_program("softmax, odd and long", sums, SoftmaxOp<-1>{}, in<f32, 2, 1111>);
  check_program("softmax, odd, of several values a thread", sums, SoftmaxOp<-1>{}, in<f32, 5, 4101>);
  check_program("softmax, a warp a row, several values a thread", sums, SoftmaxOp<-1>{}, in<f32, 5, 512>);
  check_program("softmax, two warps a row", sums, SoftmaxOp<-1>{}, in<f32, 5, 1024>);
  check_program("softmax, not as many values in every thread", sums, SoftmaxOp<-1>{}, in<f32, 5, 700>);
  check_program("softmax in f64", 1e-13, SoftmaxOp<-1>{}, in<f64, 5, 514>);
  check_program("softmax of 16 bits, a warp a row", 1.6e-2, SoftmaxOp<-1>{}, in<bf16, 5, 1000>);
  check_program("softmax, of 16 bits, odd", 1.6e-2, SoftmaxOp<-1>{}, in<bf16, 5, 5003>);
  check_program(
      "odd rows beside a vector", 0, [](auto x, auto b) { return x * 2.0f + b; }, in<f32, 7, 131>,
      in<f32, 131>);
  check_program(
      "odd rows, arithmetic kept", sums,
      [](auto x) {
        auto e = exp(x);
        return e / sum<-1>(e, keepdim) + max<-1>(e, keepdim);
      },
      in<f32, 3, 1337>);
  check_program(
      "argmax, odd and long", 0,
      [](auto x) {
        return std::tuple{argmax<-1>(x), argmin<-1>(x), max<-1>(x)};
      },
      in<f32, 7, 1003>);
  check_program("layer norm", sums, layer_norm, in<f32, 5, 384>, in<f32, 384>, in<f32, 384>);
  check_program(
      "cross entropy", sums, [](auto x, auto l) { return cross_entropy(x, l); }, in<f32, 70, 10>,
      in<i32, 70>);
  check_program(
      "argmax", 0,
      [](auto x) {
        return std::tuple{argmax<-1>(x), argmin<-1>(x), max<-1>(x)};
      },
      in<f32, 7, 300>);
}

TEST_CASE("fused: rows that a part of a warp takes share it, and may run out before it") {
  const auto norm = [](auto x, auto g) {
    auto d = x - mean<-1>(x, keepdim);
    auto n = d * rsqrt(mean<-1>(d * d, keepdim) + 1e-5f);
    return std::tuple{n, sum<0>(g * n), sum<>(g), g - mean<-1>(g, keepdim), argmax<-1>(x)};
  };
  check_program("rows of 1", sums, norm, in<f32, 71, 1>, in<f32, 71, 1>);
  check_program("rows of 4", sums, norm, in<f32, 71, 4>, in<f32, 71, 4>);
  check_program("rows of 6", sums, norm, in<f32, 7, 6>, in<f32, 7, 6>);
  check_program("rows of 10", sums, norm, in<f32, 701, 10>, in<f32, 701, 10>);
  check_program("rows of 13 in f64", 1e-12, norm, in<f64, 71, 13>, in<f64, 71, 13>);
  check_program("rows of 64", sums, norm, in<f32, 129, 64>, in<f32, 129, 64>);
  check_program("rows of 24 in 16 bits", 1.6e-2, SoftmaxOp<-1>{}, in<bf16, 33, 24>);
  check_program(
      "long rows beside short ones", sums,
      [](auto x, auto y) {
        return std::tuple{softmax<-1>(x), softmax<-1>(y)};
      },
      in<f32, 33, 10>, in<f32, 33, 40>);
}

TEST_CASE("fused: sums along the rows") {
  check_program(
      "columns and total", sums,
      [](auto x) {
        return std::tuple{sum<0>(x), sum<>(x * x)};
      },
      in<f32, 300, 96>);
  check_program(
      "narrow columns", sums, [](auto x) { return sum<0>(x); }, in<f32, 3000, 10>);
  check_program(
      "one chunk", sums, [](auto x) { return sum<0>(x); }, in<f32, 30, 12>);
  check_program(
      "wide columns", sums, [](auto x) { return sum<0>(x); }, in<f32, 20, 2500>);
  check_program(
      "maximum of columns", 0, [](auto x) { return max<0>(x); }, in<f32, 300, 64>);
  check_program(
      "norm's gradients", sums,
      [](auto x, auto g) {
        auto d = x - mean<-1>(x, keepdim);
        auto n = d * rsqrt(mean<-1>(d * d, keepdim) + 1e-5f);
        return std::tuple{sum<0>(g * n), sum<0>(g), g - mean<-1>(g, keepdim)};
      },
      in<f32, 200, 96>, in<f32, 200, 96>);
  check_program(
      "sums of several kernels, one of them read by another", sums,
      [](auto x, auto y) {
        auto columns = sum<0>(x);
        return std::tuple{columns, max<0>(y), sum<>(y * y), sum<0>(x * (columns * 0.01f)), sum<1>(y)};
      },
      in<f32, 300, 96>, in<f32, 610, 33>);
  check_program(
      "total of a long vector", sums, [](auto x) { return sum<>(x); }, in<f32, 70001>);
}

TEST_CASE("fused: sums of batches of rows") {
  const auto all = [](auto x) { return std::tuple{sum<1>(x), amax<1>(x), sum<1>(x * x)}; };
  check_program("in their places", 5 * sums, all, in<f32, 40, 17, 24>);
  check_program("in parts", 5 * sums, all, in<f32, 3, 400, 40>);
  check_program("in parts of unequal length", 5 * sums, all, in<f32, 5, 331, 7>);
  check_program("many of few rows", 5 * sums, all, in<f32, 500, 3, 5>);
  check_program("wide rows, which blocks share", 5 * sums, all, in<f32, 3, 4, 5000>);
  check_program("wide and odd rows", 5 * sums, all, in<f32, 3, 4, 5003>);
  check_program("wide rows in parts", 5 * sums, all, in<f32, 2, 90, 3000>);
  check_program(
      "of several axes", sums,
      [](auto x) {
        return std::tuple{sum<1, 2>(x), sum<2>(x), sum<2, 3>(x)};
      },
      in<f32, 3, 4, 5, 6, 7>);
  check_program("in f64", 1e-12, all, in<f64, 7, 65, 18>);
  check_program("of integers", 0, all, in<i32, 7, 65, 18>);
  check_program("softmax along them", sums, SoftmaxOp<1>{}, in<f32, 3, 21, 200>);
}

TEST_CASE("fused: several warps meet at barriers") {
  emulated::barriers = 0;
  check_program("softmax", sums, SoftmaxOp<-1>{}, in<f32, 3, 2048>);
  CHECK(emulated::barriers > 0);
}
