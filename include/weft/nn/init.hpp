#pragma once
// How parameters start, as types. `Init::value(builder, dims)` builds the starting value; it runs as a
// compiled program, so the same seed gives the same model on every device. Fans are PyTorch's: of a weight
// (out, in, window...), fan_in = in * window and fan_out = out * window. Numbers
// are ratios of template arguments: TruncNormal<1, 50> has deviation 0.02.

#include "weft/core/square_root.hpp"
#include "weft/ops/linalg/orthogonal.hpp"
#include "weft/ops/random/random.hpp"

namespace WEFT_NAMESPACE::nn::init {

WEFT_REFUSAL(
    StartIsOfIntegers,
    "numbers of a starting value are ratios of integers: init::Normal<1, 50> has mean 0 and deviation "
    "0.02, Constant<1, 2> is 0.5, Uniform<-1, 1, 10> lies in [-0.1, 0.1)");
namespace start_detail {
template <auto... N>
inline constexpr bool are_integers = (std::is_integral_v<decltype(N)> && ...);
}  // namespace start_detail

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
template <auto Numerator, auto Denominator = 1>
struct Constant {
  static_assert(sizeof(StartIsOfIntegers<start_detail::are_integers<Numerator, Denominator>, Constant>) > 0);
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    return ir::constant(b, DType::f32, d, static_cast<double>(Numerator) / Denominator);
  }
};
WEFT_REFUSAL(
    DeviationIsPositive,
    "nn::init::Normal<Numerator, Denominator>, TruncNormal: the mean is 0, and the standard deviation "
    "the quotient, above 0: write Normal<1, 50> for 0.02, Normal<> for 1, Zeros for zeros");
// Normal with mean 0 and standard deviation Numerator / Denominator.
template <auto Numerator = 1, auto Denominator = 1>
struct Normal {
  static_assert(sizeof(StartIsOfIntegers<start_detail::are_integers<Numerator, Denominator>, Normal>) > 0);
  static_assert(sizeof(DeviationIsPositive<(Numerator * 1.0 / Denominator > 0), Normal>) > 0);
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
template <auto Numerator = 1, auto Denominator = 1>
struct XavierUniform {
  static_assert(sizeof(StartIsOfIntegers<start_detail::are_integers<Numerator, Denominator>, XavierUniform>) >
                0);
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    const double bound =
        static_cast<double>(Numerator) / Denominator * square_root(6.0 / (fans(d).in + fans(d).out));
    return uniform_between(b, d, -bound, bound);
  }
};
template <auto Numerator = 1, auto Denominator = 1>
struct XavierNormal {
  static_assert(sizeof(StartIsOfIntegers<start_detail::are_integers<Numerator, Denominator>, XavierNormal>) >
                0);
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

namespace detail {

// The inverse error function (Giles, 2010, single precision), x in (-1, 1), f64.
constexpr ir::Value inverse_erf(ir::Value x) {
  const auto horner = [](ir::Value w, const double(&c)[9]) {
    ir::Value p = ir::constant_like(w, c[0]);
    for (int k = 1; k < 9; ++k) p = p * w + c[k];
    return p;
  };
  constexpr double centre[9] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                -0.00417768164,  0.246640727,    1.50140941};
  constexpr double tail[9] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                              -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
  const ir::Value w = -ir::unary(ir::Op::log, (1.0 - x) * (x + 1.0));
  const ir::Value near = ir::binary(ir::Op::lt, w, ir::constant_like(w, 5));
  const ir::Value low = horner(w - 2.5, centre);
  const ir::Value high = horner(ir::unary(ir::Op::sqrt, w) - 3.0, tail);
  return ir::select(near, low, high) * x;
}

}  // namespace detail

WEFT_REFUSAL(
    BoundsRise,
    "nn::init::Uniform<Low, High, Denominator> and TruncNormal<Numerator, Denominator, Low, High>: the "
    "lower bound stands in front of the upper: write Uniform<-1, 1, 10> for [-0.1, 0.1)");
// Uniform in [Low / Denominator, High / Denominator).
template <auto Low = 0, auto High = 1, auto Denominator = 1>
struct Uniform {
  static_assert(sizeof(StartIsOfIntegers<start_detail::are_integers<Low, High, Denominator>, Uniform>) > 0);
  static_assert(sizeof(BoundsRise<(Low * 1.0 / Denominator <= High * 1.0 / Denominator), Uniform>) > 0);
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    return uniform_between(b, d, static_cast<double>(Low) / Denominator,
                           static_cast<double>(High) / Denominator);
  }
};

// trunc_normal_: normal with mean 0 and deviation Numerator / Denominator, given that it lies in [Low, High].
// (As in PyTorch the bounds are values and no multiples of the deviation.)
template <auto Numerator = 1, auto Denominator = 1, auto Low = -2, auto High = 2>
struct TruncNormal {
  static_assert(
      sizeof(StartIsOfIntegers<start_detail::are_integers<Numerator, Denominator, Low, High>, TruncNormal>) >
      0);
  static_assert(sizeof(DeviationIsPositive<(Numerator * 1.0 / Denominator > 0), TruncNormal>) > 0);
  static_assert(sizeof(BoundsRise<(Low < High), TruncNormal>) > 0);
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    const double deviation = static_cast<double>(Numerator) / Denominator, root = 1.4142135623730951;
    const auto below = [&](double bound) {
      return ir::unary(ir::Op::erf, ir::constant(b, DType::f64, Dims{}, bound / (deviation * root)));
    };
    const ir::Value bits = weft::detail::uniform_bits(b, d);
    const ir::Value u = ir::cast(bits, DType::f64) + 2.98023223876953125e-8;  // 2^-25: in the open interval
    const ir::Value least = below(Low), most = below(High);
    const ir::Value x = detail::inverse_erf(u * (most - least) + least) * (deviation * root);
    const ir::Value low = ir::constant_like(x, Low), high = ir::constant_like(x, High);
    return ir::cast(ir::binary(ir::Op::min, ir::binary(ir::Op::max, x, low), high), DType::f32);
  }
};

// orthogonal_ with gain Numerator / Denominator: of (rows, columns), all axes but the first taken as one, the
// rows are orthonormal, or the columns where there are more rows. It is the orthogonal factor of the polar
// decomposition of a normal matrix, which is distributed as PyTorch's (uniformly, Mezzadri 2007), computed
// by products alone: 3 for each factor of 3.4 that lies between the least and the greatest singular value.
template <auto Numerator = 1, auto Denominator = 1>
struct Orthogonal {
  static_assert(sizeof(StartIsOfIntegers<start_detail::are_integers<Numerator, Denominator>, Orthogonal>) >
                0);
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    Dims matrix;
    matrix.rank = 2;
    matrix.extent[0] = d.rank > 0 ? d.extent[0] : 1;
    matrix.extent[1] = d.size() / (matrix.extent[0] > 0 ? matrix.extent[0] : 1);
    const bool tall = matrix.extent[0] > matrix.extent[1];
    if (tall) {
      const i64 rows = matrix.extent[0];
      matrix.extent[0] = matrix.extent[1], matrix.extent[1] = rows;
    }
    const double r = square_root(static_cast<double>(matrix.extent[0]));
    const double c = square_root(static_cast<double>(matrix.extent[1]));
    // singular values lie in about [c - r, c + r]; of a square matrix the least is rarely below 1e-3 / r
    const ir::Value normal = weft::detail::normal_bits(b, matrix);
    ir::Value x = normal * (1.0 / (1.1 * (c + r)));
    double least = 0.5 * (c - r) / (c + r);
    if (least < 1e-3 / (r * (c + r))) least = 1e-3 / (r * (c + r));
    for (; least < 0.7; least *= 3.4445) x = weft::detail::newton_schulz_step(x, 3.4445, -4.7750, 2.0315);
    // now in [0.6, 1.3]; the error of these is cubed by a step
    for (int k = 0; k < 5; ++k) x = weft::detail::newton_schulz_step(x, 1.875, -1.25, 0.375);
    const i64 turn[2]{1, 0};
    if (tall) x = ir::permute(x, turn);
    return ir::reshape(x * number(b, static_cast<double>(Numerator) / Denominator), d);
  }
};

enum class Fan { in, out };
enum class Nonlinearity { linear, sigmoid, tanh, relu, leaky_relu, selu };
// calculate_gain; slope: of leaky_relu.
constexpr double gain(Nonlinearity f, double slope = 0.01) {
  switch (f) {
    case Nonlinearity::tanh:
      return 5.0 / 3;
    case Nonlinearity::relu:
      return square_root(2);
    case Nonlinearity::leaky_relu:
      return square_root(2 / (1 + slope * slope));
    case Nonlinearity::selu:
      return 0.75;
    default:
      return 1;
  }
}

// kaiming_normal_ and kaiming_uniform_; KaimingNormal and KaimingUniform are those of Fan::in and relu.
template <Fan Mode, Nonlinearity F = Nonlinearity::relu, int SlopeNumerator = 0, int SlopeDenominator = 1>
struct KaimingNormalOf {
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    const double fan = Mode == Fan::in ? fans(d).in : fans(d).out;
    const double slope = static_cast<double>(SlopeNumerator) / SlopeDenominator;
    return weft::detail::normal_bits(b, d) * number(b, gain(F, slope) / square_root(fan));
  }
};
template <Fan Mode, Nonlinearity F = Nonlinearity::relu, int SlopeNumerator = 0, int SlopeDenominator = 1>
struct KaimingUniformOf {
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    const double fan = Mode == Fan::in ? fans(d).in : fans(d).out;
    const double slope = static_cast<double>(SlopeNumerator) / SlopeDenominator;
    const double bound = gain(F, slope) * square_root(3 / fan);
    return uniform_between(b, d, -bound, bound);
  }
};

// 1 where the first two axes agree and every further one (a window's) is in its middle: eye_ of a matrix,
// dirac_ of a convolution's weight, which then passes its input on.
struct Dirac {
  static constexpr ir::Value value(ir::Builder& b, const Dims& d) {
    if (d.rank < 2) throw Error("init/rank", "Dirac: the parameter has fewer than two axes");
    const auto place = [&](int axis) {
      return ir::Value{&b, b.leaf(ir::Op::iota, DType::i32, d, static_cast<u64>(axis))};
    };
    ir::Value hit = ir::binary(ir::Op::eq, place(0), place(1));
    for (int k = 2; k < d.rank; ++k) {
      const ir::Value at = place(k);
      const ir::Value middle = ir::constant_like(at, static_cast<double>(d.extent[k] / 2));
      hit = ir::binary(ir::Op::bit_and, hit, ir::binary(ir::Op::eq, at, middle));
    }
    return ir::cast(hit, DType::f32);
  }
};
using Eye = Dirac;

}  // namespace WEFT_NAMESPACE::nn::init
