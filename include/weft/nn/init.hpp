#pragma once
// How parameters start, as types. `Init::value(builder, dims)` builds the starting value; it runs as a
// compiled program, so the same seed gives the same model on every device. Fans are PyTorch's: of a weight
// (out, in, window...), fan_in = in * window and fan_out = out * window.

#include "weft/core/square_root.hpp"
#include "weft/ops/random.hpp"

namespace WEFT_NAMESPACE::nn::init {

struct Fans {
  double in = 1, out = 1;
};
constexpr Fans fans(const Dims& d) {
  Fans f;
  double window = 1;
  for (int i = 2; i < d.rank; ++i) window *= static_cast<double>(d.extent[i]);
  f.in = d.rank >= 2   ? static_cast<double>(d.extent[1]) * window
         : d.rank == 1 ? static_cast<double>(d.extent[0])
                       : 1;
  f.out = d.rank >= 1 ? static_cast<double>(d.extent[0]) * window : 1;
  return f;
}

// A number as a run-time scalar: parameters that start from the same distribution share a kernel.
constexpr ir::Value number(ir::Builder& b, double value) {
  const int scalar = b.graph.scalar_count++;
  b.graph.presets.push({scalar, static_cast<f32>(value)});
  return {&b, b.leaf(ir::Op::scalar, DType::f32, Dims{}, static_cast<u64>(scalar))};
}

constexpr ir::Value uniform_between(ir::Builder& b, const Dims& d, double low, double high) {
  return detail::uniform_bits(b, d) * number(b, high - low) + number(b, low);
}

struct Zeros {
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    return ir::constant(b, DType::f32, d, 0);
  }
};
struct Ones {
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    return ir::constant(b, DType::f32, d, 1);
  }
};
// Numerator / Denominator everywhere.
template <int Numerator, int Denominator = 1>
struct Constant {
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    return ir::constant(b, DType::f32, d, static_cast<double>(Numerator) / Denominator);
  }
};
// Normal with mean 0 and standard deviation Numerator / Denominator.
template <int Numerator = 1, int Denominator = 1>
struct Normal {
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    return detail::normal_bits(b, d) * number(b, static_cast<double>(Numerator) / Denominator);
  }
};
// PyTorch's start of Linear and Conv: uniform in +-1 / sqrt(fan_in) (kaiming_uniform with a = sqrt(5)). A
// bias has no fan of its own: FanIn names the weight's.
template <i64 FanIn = 0>
struct FanInUniform {
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    const double bound = 1.0 / square_root(FanIn > 0 ? static_cast<double>(FanIn) : fans(d).in);
    return uniform_between(b, d, -bound, bound);
  }
};
// Glorot and Bengio (2010), gain Numerator / Denominator.
template <int Numerator = 1, int Denominator = 1>
struct XavierUniform {
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    const double bound =
        static_cast<double>(Numerator) / Denominator * square_root(6.0 / (fans(d).in + fans(d).out));
    return uniform_between(b, d, -bound, bound);
  }
};
template <int Numerator = 1, int Denominator = 1>
struct XavierNormal {
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    return detail::normal_bits(b, d) * number(b, static_cast<double>(Numerator) / Denominator *
                                                     square_root(2.0 / (fans(d).in + fans(d).out)));
  }
};
// He et al. (2015) for ReLU.
struct KaimingUniform {
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    const double bound = square_root(6.0 / fans(d).in);
    return uniform_between(b, d, -bound, bound);
  }
};
struct KaimingNormal {
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    return detail::normal_bits(b, d) * number(b, square_root(2.0 / fans(d).in));
  }
};

}  // namespace WEFT_NAMESPACE::nn::init
