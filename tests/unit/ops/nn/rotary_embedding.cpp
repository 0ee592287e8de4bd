#include "weft/ops/nn/rotary_embedding.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/device.hpp"
#include "support/gradcheck.hpp"
#include "support/repository.hpp"
#include "weft/exec/function.hpp"
#include "weft/io/safetensors.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace weft;
using namespace weft::testing;

namespace {
constexpr RotaryOptions pairs{.interleaved = true}, part{.base = 500, .dims = 6};

// The result and the gradient of sum(y * g); positions, if any, before g.
template <RotaryOptions O>
struct Both {
  constexpr auto operator()(const auto& x, const auto& g) const {
    return std::tuple{rotary_embedding<O>(x),
                      grad([](auto v, auto w) { return sum<>(rotary_embedding<O>(v) * w); })(x, g)};
  }
  constexpr auto operator()(const auto& x, const auto& p, const auto& g) const {
    const auto f = [](auto v, auto q, auto w) { return sum<>(rotary_embedding<O>(v, q) * w); };
    return std::tuple{rotary_embedding<O>(x, p), grad(f)(x, p, g)};
  }
};

template <class T = float>
const T* values(const std::string& name) {
  static const io::Safetensors file(repository_file("tests/parity/nn/attention.safetensors"));
  REQUIRE(file.at(name).dtype == dtype_of<T>);
  return reinterpret_cast<const T*>(file.at(name).data);
}
// An angle p has f32's error, p 2^-24 and that of its speed.
void check_result(const auto& got, const std::string& name, double greatest_position) {
  INFO(name);
  const float* wanted = values(name);
  for (i64 i = 0; i < got.size(); ++i)
    if (!(std::abs(got[i] - wanted[i]) <= 1e-5 + 4e-7 * greatest_position))
      FAIL_CHECK("element ", i, ": ", got[i], ", PyTorch says ", wanted[i]);
}
}  // namespace

TEST_CASE("rotary_embedding: halves, neighbours and a part agree with complex numbers in PyTorch") {
  auto by_half = compile(Cpu{1}, Both<RotaryOptions{}>{}, in<f32, 2, 3, 5, 8>, in<f32, 2, 3, 5, 8>);
  auto [y, dx] = by_half(values("half.x"), values("half.g"));
  check_result(y, "half.y", 5);
  check_result(dx, "half.dx", 5);
  CHECK(by_half.launches() == 2);

  auto by_pair = compile(test_device(), Both<pairs>{}, in<f32, 2, 3, 5, 8>, in<f32, 2, 3, 5, 8>);
  auto [z, dz] = by_pair(values("pairs.x"), values("pairs.g"));
  check_result(z, "pairs.y", 5);
  check_result(dz, "pairs.dx", 5);

  auto of_part =
      compile(test_device(), Both<part>{}, in<f32, 2, 3, 4, 10>, in<i64, 2, 1, 4>, in<f32, 2, 3, 4, 10>);
  auto [u, du] = of_part(values("part.x"), values<i64>("part.positions"), values("part.g"));
  check_result(u, "part.y", 900);
  check_result(du, "part.dx", 900);
}

TEST_CASE("rotary_embedding: scores depend on the distance alone; lengths stay") {
  auto f = compile(
      test_device(),
      [](auto q, auto k, auto p) {
        const auto near = matmul(rotary_embedding(q), permute<1, 0>(rotary_embedding(k)));
        const auto far = matmul(rotary_embedding(q, p), permute<1, 0>(rotary_embedding(k, p)));
        const auto turned = cast<f32>(rotary_embedding<pairs>(cast<bf16>(q)));
        return std::tuple{near, far, sum<-1>(q * q), sum<-1>(turned * turned)};
      },
      in<f32, 6, 16>, in<f32, 6, 16>, in<i32, 6>);
  std::vector<float> q(96), k(96);
  for (std::size_t i = 0; i < 96; ++i) {
    q[i] = std::sin(static_cast<float>(i) + 1);
    k[i] = std::cos(static_cast<float>(i * i));
  }
  const auto [near, far, before, after] = f(q, k, std::vector<i32>{100, 101, 102, 103, 104, 105});
  for (i64 i = 0; i < 36; ++i) CHECK(near[i] == doctest::Approx(far[i]).epsilon(1e-4));
  for (i64 i = 0; i < 6; ++i) CHECK(before[i] == doctest::Approx(after[i]).epsilon(1.6e-2));
}

TEST_CASE("rotary_embedding: gradients in f64") {
  const auto holds = [](const GradCheck& r) {
    INFO("error ", r.error, ", lowered ", r.lowered);
    CHECK(r.ok());
  };
  holds(gradcheck([](auto v) { return rotary_embedding(v) * v; }, point<2, 3, 4>(-1, 1, 1)));
  holds(gradcheck([](auto v) { return rotary_embedding<pairs>(v) * v; }, point<2, 3, 4>(-1, 1, 2)));
  holds(gradcheck([](auto v) { return rotary_embedding<part>(v) * v; }, point<3, 8>(-1, 1, 3)));
}
