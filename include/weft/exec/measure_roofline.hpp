#pragma once
// What a machine gives weft's own kernels, to hold the times of others against. Law: measuring is something
// the caller asks for; no program does it by itself.

#include <type_traits>
#include <vector>

#include "weft/exec/function.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/math/pointwise.hpp"

namespace WEFT_NAMESPACE {

namespace exec {

struct MeasuredPass {
  constexpr auto operator()(auto x) const { return x + 1.0f; }
};
struct MeasuredProduct {
  constexpr auto operator()(auto a, auto b) const { return matmul(a, b); }
};

// By a pass over so many f32, and a product of two square matrices of them.
template <i64 Elements, i64 Side, class Device>
Roofline measure_roofline(const Device& device) {
  Roofline found;
  {
    auto pass = compile(device, MeasuredPass{}, in<f32, Elements>);
    found.bytes_per_second = 2.0 * Elements * sizeof(f32) / pass.measure();
  }
  std::vector<f32> factors(static_cast<std::size_t>(Side * Side));
  for (std::size_t k = 0; k < factors.size(); ++k)
    factors[k] = static_cast<f32>(k * 7919 % 1009) / 1009 - 0.5f;
  auto product = compile(device, MeasuredProduct{}, in<f32, Side, Side>, in<f32, Side, Side>);
  found.flops_per_second = 2.0 * Side * Side * Side / product.measure(factors, factors);
  return found;
}

}  // namespace exec

// Bytes and FLOPs a second of `device`: of a pass that reads 128 MiB and writes as many, which no cache
// holds, and of a product of f32 matrices, 1024 x 1024 on the host, 4096 x 4096 elsewhere. Takes about a
// second and 400 MB. f.profile(measure_roofline(Cpu{}), x) then says how near a program's launches come to
// what this machine can; products in other dtypes may be faster than its f32.
template <class Device = Cpu>
Roofline measure_roofline(const Device& device = Device{}) {
  constexpr i64 elements = i64{1} << 25, side = std::is_same_v<Device, Cpu> ? 1024 : 4096;
  return exec::measure_roofline<elements, side>(device);
}

}  // namespace WEFT_NAMESPACE
