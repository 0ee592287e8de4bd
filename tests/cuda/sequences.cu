// What is read along time on a GPU, against the host: the recursion of ctc_loss, and recurrent layers over
// sequences of run-time lengths, with their gradients.
#include <doctest/doctest.h>

#include <cmath>

#include "weft/cuda.hpp"
#include "weft/nn/recurrent.hpp"
#include "weft/ops/loss/ctc.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace weft;

namespace {

std::vector<f32> waves(std::size_t count) {
  std::vector<f32> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = std::sin(static_cast<f32>(3 * i + count));
  return v;
}

// A loss of each sequence and the gradient of their sum.
template <class Device>
std::vector<f32> ctc(const Device& device) {
  auto f = compile(
      device,
      [](auto x, auto targets, auto steps, auto counts) {
        const auto each = [&](auto z) {
          return ctc_loss<reduction::none>(log_softmax<-1>(z), targets, steps, counts,
                                           {.zero_infinity = true});
        };
        return std::tuple{each(x), grad([&](auto z) { return sum(each(z)); })(x)};
      },
      in<f32, 40, 3, 9>, in<i64, 3, 6>, in<i32, 3>, in<i32, 3>);
  std::vector<f32> loss(3), gradient(40 * 3 * 9);
  const std::vector<i64> targets{1, 2, 2, 3, 8, 5, 4, 4, -1, 0, 0, 0, 7, 6, 5, 4, 3, 2};
  f.into(loss, gradient)(waves(40 * 3 * 9), targets, std::vector<i32>{40, 25, 4}, std::vector<i32>{6, 2, 6});
  loss.insert(loss.end(), gradient.begin(), gradient.end());
  return loss;
}

// Both directions of two layers over sequences of lengths 4, 7 and 1: results, and the gradient of the input.
template <class Device>
std::vector<f32> lengths(const Device& device) {
  using M = nn::LSTM<5, 6, nn::Recurrent{.num_layers = 2, .bidirectional = true}>;
  Model<M, Device> model(device, 3);
  auto f = compile(
      model,
      [](const auto& m, auto x, auto steps) {
        const auto [y, last] = m(x, steps);
        const auto dx = grad([&](auto z) {
          const auto [out, end] = m(z, steps);
          return sum(out * out) + sum(std::get<1>(end));
        })(x);
        return std::tuple{y, std::get<0>(last), dx};
      },
      in<f32, 7, 3, 5>, in<i32, 3>);
  std::vector<f32> y(7 * 3 * 12), last(4 * 3 * 6), dx(7 * 3 * 5);
  f.into(y, last, dx)(waves(7 * 3 * 5), std::vector<i32>{4, 7, 1});
  y.insert(y.end(), last.begin(), last.end());
  y.insert(y.end(), dx.begin(), dx.end());
  return y;
}

void compare(const std::vector<f32>& host, const std::vector<f32>& gpu) {
  REQUIRE(host.size() == gpu.size());
  for (std::size_t k = 0; k < host.size(); ++k) CHECK(gpu[k] == doctest::Approx(host[k]).epsilon(1e-4));
}

}  // namespace

TEST_CASE("sequences: ctc_loss on a GPU gives what the host gives") { compare(ctc(Cpu{}), ctc(Cuda{0})); }
TEST_CASE("sequences: recurrent layers over run-time lengths on a GPU give what the host gives") {
  compare(lengths(Cpu{}), lengths(Cuda{0}));
}
