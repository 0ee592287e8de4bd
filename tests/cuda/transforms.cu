// vmap, jvp and probes make programs of the kernels that others test: one of each, against the host.
#include <doctest/doctest.h>

#include <cmath>

#include "weft/cuda.hpp"
#include "weft/exec/function.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/nn/conv.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/slicing.hpp"
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
                          jvp(series)(select<0, 0>(starts), select<0, 1>(starts)).second + slopes};
      },
      in<f32, 3, 2, 5, 5>, in<f32, 3, 4, 2, 3, 3>, in<f32, 3, 4>, probes<"slopes">);
  std::vector<f32> image(150), kernel(216), starts(12), a(3), b(12);
  for (std::vector<f32>* v : {&image, &kernel, &starts})
    for (std::size_t i = 0; i < v->size(); ++i) (*v)[i] = std::sin(static_cast<f32>(3 * i + v->size()));
  f.into(a, b)(image, kernel, starts);
  std::vector<f32> kept(12);
  const f32* from = f.template get_probe<"slopes">().data();
  if constexpr (std::is_same_v<Device, Cpu>)
    kept.assign(from, from + 12);
  else
    cuda_check(cudaMemcpy(kept.data(), from, 12 * sizeof(f32), cudaMemcpyDeviceToHost), "cudaMemcpy");
  a.insert(a.end(), b.begin(), b.end());
  a.insert(a.end(), kept.begin(), kept.end());
  return a;
}

}  // namespace

TEST_CASE("transforms: vmap, jvp and probes on a GPU give what the host gives") {
  const std::vector<f32> host = results(Cpu{}), gpu = results(Cuda{0});
  for (std::size_t k = 0; k < host.size(); ++k) CHECK(gpu[k] == doctest::Approx(host[k]).epsilon(1e-4));
}
