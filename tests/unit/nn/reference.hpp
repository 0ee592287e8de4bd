#pragma once
// A module beside PyTorch's: outputs and the gradients of sum(y * upstream), from tests/parity/nn
// (generate_nn.py).

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/device.hpp"
#include "support/repository.hpp"
#include "weft/exec/model.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/train/make_trainer.hpp"

namespace nn_test {

using namespace weft;
using weft::testing::test_device, weft::testing::TestDevice;

inline io::Safetensors open(const std::string& file) {
  return io::Safetensors(repository_file("tests/parity/nn/" + file + ".safetensors"));
}
template <class T = float>
const T* values(const io::Safetensors& file, const std::string& name) {
  const io::SafetensorsEntry& entry = file.at(name);
  REQUIRE(entry.dtype == dtype_of<T>);
  return reinterpret_cast<const T*>(entry.data);
}

// |got - wanted| <= 1.3e-6 scale + 1e-5 |wanted|, scale: the largest value in `wanted`, but at least 1.
inline void check_close(const float* got, const float* wanted, i64 count, const std::string& what) {
  double scale = 1;
  for (i64 i = 0; i < count; ++i) scale = std::fmax(scale, std::abs(wanted[i]));
  for (i64 i = 0; i < count; ++i) {
    CAPTURE(what);
    CAPTURE(i);
    CAPTURE(got[i]);
    CAPTURE(wanted[i]);
    CHECK(std::abs(got[i] - wanted[i]) <= 1.3e-6 * scale + 1e-5 * std::abs(wanted[i]));
  }
}

// Holds gradients by x against differences of loss() in f64.
template <class Loss>
void check_slopes(std::vector<f64>& x, const std::vector<f64>& slopes, const Loss& loss) {
  REQUIRE(x.size() == slopes.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const f64 at = x[k];
    x[k] = at + 1e-4;
    const f64 up = loss();
    x[k] = at - 1e-4;
    const f64 down = loss();
    x[k] = at;
    CAPTURE(k);
    CHECK(slopes[k] == doctest::Approx((up - down) / 2e-4).epsilon(1e-7));
  }
}

// An "optimiser" that leaves the gradient in the parameter's place.
struct TakeGradient {
  static constexpr int moments = 0, numbers = 0;
  void fill(i64, f32*) const {}
  static constexpr void update(optim::Update& u) { u.parameter = u.gradient; }
};

// The module under test with its floating inputs as parameters, so that they have gradients.
template <class M, class... S>
struct Probe;
template <class M>
struct Probe<M> {
  M m{};
};
template <class M, class S0>
struct Probe<M, S0> {
  M m{};
  nn::Param<f32, S0> x0{};
  constexpr auto operator()() const { return m(x0); }
};
template <class M, class S0, class S1>
struct Probe<M, S0, S1> {
  M m{};
  nn::Param<f32, S0> x0{};
  nn::Param<f32, S1> x1{};
  constexpr auto operator()() const { return m(x0, x1); }
};

// Copies the tensors "<name>.weight", "<name>.x0", ... into the model's "m.weight", "x0", ...
template <class M>
void take_state(Model<M, TestDevice>& model, const io::Safetensors& file, const std::string& name) {
  const auto& table = nn::state_table<M>;
  nn::each_copy(table, [&](int i, i64 copy) {
    const nn::StateInfo& row = table.row[i];
    const std::string own(row.name.of_copy(copy).view());
    const io::SafetensorsEntry& entry = file.at(name + "." + (own.rfind("m.", 0) == 0 ? own.substr(2) : own));
    REQUIRE(entry.dtype == row.dtype);
    REQUIRE(entry.shape == exec::extents(row.dims));
    std::memcpy(model.state() + row.offset + copy * row.copy_bytes(), entry.data, entry.bytes);
  });
}

// Compares what a step of TakeGradient left in the model with "<name>.dweight", "<name>.dx0", ...
template <class M>
void check_gradients(Model<M, TestDevice>& model, const io::Safetensors& file, const std::string& name) {
  const auto& table = nn::state_table<M>;
  nn::each_copy(table, [&](int i, i64 copy) {
    const nn::StateInfo& row = table.row[i];
    if (!row.trained) return;
    const std::string own(row.name.of_copy(copy).view());
    const std::string key = name + ".d" + (own.rfind("m.", 0) == 0 ? own.substr(2) : own);
    check_close(reinterpret_cast<const float*>(model.state() + row.offset + copy * row.copy_bytes()),
                values(file, key), row.dims.size(), key);
  });
}

// Compares module M on inputs of shapes S with the tensors called `name`.
template <class M, class... S>
void check_module(const io::Safetensors& file, const std::string& name) {
  using P = Probe<M, S...>;
  using Y = typename decltype(std::declval<const P&>()())::shape;
  constexpr Input<f32, Y> upstream{};
  auto trainer = make_trainer<P>(
      test_device(), [](const auto& p, auto g) { return sum<>(p() * g); }, upstream, TakeGradient{});
  take_state(trainer.model(), file, name);
  auto forward = compile(trainer.model(), [](const auto& p) { return p(); });
  check_close(forward().data(), values(file, name + ".y"), Y::size, name + ".y");
  trainer.step(values(file, name + ".upstream"));
  check_gradients(trainer.model(), file, name);
}

// Compares f on an input of shape X with the tensors called `name`.
template <class X, class F>
void check_function(const io::Safetensors& file, const std::string& name, F f) {
  auto function = compile(test_device(), f, Input<f32, X>{});
  const auto y = function(values(file, name + ".x0"));
  check_close(y.data(), values(file, name + ".y"), static_cast<i64>(y.to_vector().size()), name);
}

}  // namespace nn_test
