// vmap, jvp, hessian, probes and attention make programs of the kernels that others test: one of each,
// against the host.
#include <doctest/doctest.h>

#include <cmath>

#include "weft/cuda.hpp"
#include "weft/exec/function.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/nn/attention.hpp"
#include "weft/ops/nn/conv.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/slicing.hpp"
#include "weft/ops/transform/jacobian.hpp"
#include "weft/ops/transform/vjp.hpp"
#include "weft/ops/transform/vmap.hpp"

using namespace weft;

namespace {

template <class Device>
std::vector<f32> results(const Device& device) {
  auto f = compile(
      device,
      [](auto image, auto kernel, auto starts) {
        const auto energy = [](auto i, auto k) {
          return sum(square(probe<"never">(conv2d(unsqueeze<0>(i), k))));
        };
        const auto series = [](auto h) { return sum(loop<3>([](auto c) { return tanh(c * 2) + c; }, h)); };
        const auto each = vmap(grad<1>(energy))(image, kernel);
        const auto slopes = probe<"slopes">(vmap(grad(series))(starts));
        return std::tuple{sum<1, 2, 3, 4>(each),
                          jvp(series)(select<0, 0>(starts), select<0, 1>(starts)).second + slopes,
                          hessian(series)(select<0, 2>(starts))};
      },
      in<f32, 3, 2, 5, 5>, in<f32, 3, 4, 2, 3, 3>, in<f32, 3, 4>, probes<"slopes">);
  std::vector<f32> image(150), kernel(216), starts(12), a(3), b(12), bends(16);
  for (std::vector<f32>* v : {&image, &kernel, &starts})
    for (std::size_t i = 0; i < v->size(); ++i) (*v)[i] = std::sin(static_cast<f32>(3 * i + v->size()));
  f.into(a, b, bends)(image, kernel, starts);
  std::vector<f32> kept(12);
  const f32* from = f.template get_probe<"slopes">().data();
  if constexpr (std::is_same_v<Device, Cpu>)
    kept.assign(from, from + 12);
  else
    exec::copy_now(kept.data(), from, 12 * sizeof(f32));
  a.insert(a.end(), b.begin(), b.end());
  a.insert(a.end(), bends.begin(), bends.end());
  a.insert(a.end(), kept.begin(), kept.end());
  return a;
}

}  // namespace

TEST_CASE("transforms: vmap, jvp, hessian and probes on a GPU give what the host gives") {
  const std::vector<f32> host = results(Cpu{}), gpu = results(Cuda{0});
  for (std::size_t k = 0; k < host.size(); ++k) CHECK(gpu[k] == doctest::Approx(host[k]).epsilon(1e-4));
}

namespace {

// Attention with dropped weights in each trip of a loop, and its gradients.
template <class Device>
std::vector<f32> attended(const Device& device) {
  auto f = compile(
      device,
      [](auto q, auto k, auto mask) {
        return grad<0, 1, 2>([](auto a, auto b, auto m) {
          return sum(square(loop<2>(
              [&](auto x) {
                return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(x, b, b, m, 0.3) + x;
              },
              a)));
        })(q, k, mask);
      },
      in<f32, 2, 2, 9, 8>, in<f32, 2, 2, 9, 8>, in<f32, 9, 9>, seed{3});
  std::vector<f32> q(288), k(288), mask(81), all(288), dk(288), dmask(81);
  for (std::vector<f32>* v : {&q, &k, &mask})
    for (std::size_t i = 0; i < v->size(); ++i)
      (*v)[i] = std::sin(static_cast<f32>(3 * i) + (v == &k ? 1.0f : 0.0f));
  f.into(all, dk, dmask)(q, k, mask);
  all.insert(all.end(), dk.begin(), dk.end());
  all.insert(all.end(), dmask.begin(), dmask.end());
  return all;
}

}  // namespace

TEST_CASE("transforms: attention on a GPU gives what the host's kernels give") {
  const std::vector<f32> host = attended(Cpu{}), gpu = attended(Cuda{0});
  for (std::size_t k = 0; k < host.size(); ++k)
    CHECK(gpu[k] == doctest::Approx(host[k]).epsilon(1e-4).scale(1));
}
