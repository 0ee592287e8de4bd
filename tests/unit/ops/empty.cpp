// Tensors without elements through the whole pipeline: what PyTorch gives for them (its OpInfo samples of
// size zero) is held by tests/sweep/empty_table.cpp.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/device.hpp"
#include "weft/exec/function.hpp"
#include "weft/ops.hpp"

using namespace weft;
using weft::testing::test_device;

namespace {
template <class T, class S>
std::vector<double> all(const TensorView<T, S, Cpu>& t) {
  return std::vector<double>(t.data(), t.data() + S::size);
}
using Numbers = std::vector<double>;
const float five[5]{1, 2, 3, 4, 5};
}  // namespace

TEST_CASE("empty: pointwise operations, rows and reductions") {
  auto f = compile(
      test_device(),
      [](auto x, auto y, auto z, auto u) {
        return std::tuple{
            exp(z),       add(y, u),           softmax<1>(y), softmax<1>(z), layer_norm(y),
            sum<0>(y),    prod<0>(y),          mean(x),       any<0>(y),     all<0>(y),
            max<1>(y),    logsumexp<0>(y),     var<0>(y),     norm<1>(z),    cross_entropy(y, cast<i64>(x)),
            argmax<1>(y), count_nonzero<0>(y), dist(x, x),    u + sum(x)};
      },
      in<f32, 0>, in<f32, 0, 5>, in<f32, 5, 0>, in<f32, 5>);
  const std::vector<float> none;
  for (int call = 0; call < 2; ++call) {
    const auto r = f(none, none, none, five);
    CHECK(all(std::get<5>(r)) == Numbers(5, 0));
    CHECK(all(std::get<6>(r)) == Numbers(5, 1));
    CHECK(std::isnan(std::get<7>(r).data()[0]));
    CHECK(all(std::get<8>(r)) == Numbers(5, 0));
    CHECK(all(std::get<9>(r)) == Numbers(5, 1));
    CHECK(all(std::get<11>(r)) == Numbers(5, -INFINITY));
    CHECK(std::isnan(std::get<12>(r).data()[4]));
    CHECK(all(std::get<13>(r)) == Numbers(5, 0));
    CHECK(std::isnan(std::get<14>(r).data()[0]));
    CHECK(all(std::get<16>(r)) == Numbers(5, 0));
    CHECK(all(std::get<18>(r)) == Numbers(five, five + 5));
  }
}

TEST_CASE("empty: products, convolutions, pools, attention") {
  auto f = compile(
      test_device(),
      [](auto y, auto z, auto images, auto w, auto u, auto q, auto k) {
        return std::tuple{matmul(z, y),
                          matmul(y, z),
                          matmul(y, u),
                          addmm(u, z, y),
                          einsum<"ij,jk->ki">(z, y),
                          conv2d(images, w),
                          max_pool2d<2>(images),
                          avg_pool2d<2>(images),
                          adaptive_avg_pool2d<2>(images),
                          scaled_dot_product_attention(q, k, k),
                          outer(u, sum<1>(y))};
      },
      in<f32, 0, 5>, in<f32, 5, 0>, in<f32, 0, 2, 4, 4>, in<f32, 3, 2, 3, 3>, in<f32, 5>, in<f32, 1, 2, 3, 4>,
      in<f32, 1, 2, 0, 4>);
  const std::vector<float> none, w(54, 1.0f), q(24, 1.0f);
  const auto r = f(none, none, none, w, five, q, none);
  CHECK(all(std::get<0>(r)) == Numbers(25, 0));
  CHECK(all(std::get<3>(r)).size() == 25);
  CHECK(std::get<3>(r).data()[7] == 3);
  CHECK(all(std::get<4>(r)) == Numbers(25, 0));
  CHECK(all(std::get<9>(r)) == Numbers(24, 0));
}

TEST_CASE("empty: indices, order, running folds, rearrangements") {
  auto f = compile(
      test_device(),
      [](auto x, auto y, auto z, auto u) {
        const auto i = cast<i64>(x);
        return std::tuple{cumsum<0>(y),
                          std::get<0>(sort<1>(y)),
                          std::get<0>(sort(x)),
                          argsort<0>(y),
                          take(u, i),
                          scatter_add<0>(u, i, x),
                          scatter_reduce<0>(u, i, x, reduce::amax),
                          searchsorted(x, u),
                          isin(u, x),
                          cat<0>(x, u),
                          pad<1, 2>(x, 3),
                          flip<0, 1>(y),
                          std::get<0>(unique<3>(x)),
                          histc<3>(x, 0, 1),
                          std::get<0>(nonzero<2>(y)),
                          triu_indices<2, 2, 2>(),
                          repeat<0>(u),
                          tril(z),
                          index_put(u, x, i),
                          median(x)};
      },
      in<f32, 0>, in<f32, 0, 5>, in<f32, 5, 0>, in<f32, 5>);
  const std::vector<float> none;
  const auto r = f(none, none, none, five);
  CHECK(all(std::get<5>(r)) == Numbers(five, five + 5));
  CHECK(all(std::get<6>(r)) == Numbers(five, five + 5));
  CHECK(all(std::get<7>(r)) == Numbers(5, 0));
  CHECK(all(std::get<8>(r)) == Numbers(5, 0));
  CHECK(all(std::get<9>(r)) == Numbers(five, five + 5));
  CHECK(all(std::get<10>(r)) == Numbers(3, 3));
  CHECK(all(std::get<12>(r)) == Numbers(3, 0));
  CHECK(all(std::get<13>(r)) == Numbers(3, 0));
  CHECK(all(std::get<14>(r)) == Numbers(4, -1));
  CHECK(all(std::get<18>(r)) == Numbers(five, five + 5));
  CHECK(std::isnan(std::get<19>(r).data()[0]));
}

TEST_CASE("empty: gradients, loops, vmap") {
  auto f = compile(
      test_device(),
      [](auto x, auto y, auto u) {
        const auto loss = [](auto a, auto b) { return sum(matmul(a, b)) + sum(softplus(b)) + prod(a); };
        const auto [gy, gu] = grad<0, 1>(loss)(y, u);
        const auto [last, states] = loop<3>([](auto s) { return std::pair{s * 2 + 1, s}; }, x);
        const auto rows = vmap([](auto row) { return sum(row * row); })(y);
        return std::tuple{gy, gu, last, states, rows, sum(last)};
      },
      in<f32, 0>, in<f32, 0, 5>, in<f32, 5>);
  const std::vector<float> none;
  const auto r = f(none, none, five);
  CHECK(std::get<1>(r).data()[0] == doctest::Approx(1 / (1 + std::exp(-1.0))));
  CHECK(std::get<5>(r).data()[0] == 0);
}

TEST_CASE("empty: a program all of whose results are") {
  auto f = compile(
      test_device(),
      [](auto y) {
        return std::tuple{relu(y), y + 1, sum<1>(y)};
      },
      in<f32, 0, 5>);
  const std::vector<float> none;
  const auto r = f(none);
  CHECK(all(std::get<0>(r)).empty());
}
