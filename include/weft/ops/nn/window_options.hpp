#pragma once
// Options of operations that move a window: PyTorch's names and defaults, as constants in template arguments,
// because they decide shapes. Wherever PyTorch takes a number or a tuple, a number or a list in braces.

#include "weft/core/dtype.hpp"
#include "weft/core/types.hpp"
#include "weft/core/word.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(WindowIsPerAxis,
             "a window, stride, padding or dilation is one number for all axes, or one an axis: write "
             "Conv2d<3, 8, PerAxis{3, 5}>, MaxPool2d<PerAxis{2, 3}>, .stride = {2, 1} in place of std::pair, "
             "std::tuple or std::array");
WEFT_REFUSAL(
    WindowIsWhole,
    "a window, stride, padding or dilation is counted in elements: write a whole number, .stride = 2; a "
    "factor that need not be one is interpolate's, InterpolateOptions{.scale_factor = 1.5}");

// One number for all spatial axes, or one each: 3, PerAxis{3, 5}; inside options {3, 5} will do.
template <class T>
struct EachAxis {
  T value[3]{};   // axis by axis, or one for all
  int count = 0;  // 0: one for all

  constexpr EachAxis(T all) : value{all, all, all} {}
  constexpr EachAxis(T a, T b) : value{a, b, 0}, count(2) {}
  constexpr EachAxis(T a, T b, T c) : value{a, b, c}, count(3) {}
  template <class... Number>  // refusals
  requires(std::is_integral_v<T> && sizeof...(Number) <= 3 && (std::is_arithmetic_v<Number> && ...) &&
           (std::is_floating_point_v<Number> || ...)) constexpr EachAxis(Number...) {
    static_assert(sizeof(WindowIsWhole<(sizeof...(Number) > 3), Number...>) > 0);
  }
  template <class Other>
  requires std::is_class_v<Other>
  constexpr EachAxis(const Other&) { static_assert(sizeof(WindowIsPerAxis<sizeof(Other) == 0, Other>) > 0); }
  // member by member: nvcc hands constants to the host compiler in this spelling
  constexpr EachAxis(const T (&all)[3], int n) : value{all[0], all[1], all[2]}, count(n) {}
  constexpr T operator[](int axis) const { return value[axis]; }
  constexpr bool names(int axes) const { return count == 0 || count == axes; }
  constexpr bool at_least(T least, int axes) const {
    for (int k = 0; k < axes; ++k)
      if (value[k] < least) return false;
    return true;
  }
  constexpr bool operator==(const EachAxis&) const = default;
};
using PerAxis = EachAxis<i64>;
using Factors = EachAxis<double>;  // whole or not

// Zeros on both sides of every axis; "same" as many as keep the extents (stride 1), "valid" none.
struct Padding {
  PerAxis width = 0;  // elements on each side of each axis
  bool same = false;  // true: as many as keep the extents, "same"

  constexpr Padding(i64 all) : width(all) {}
  constexpr Padding(const PerAxis& all) : width(all) {}
  constexpr Padding(i64 a, i64 b) : width(a, b) {}
  constexpr Padding(i64 a, i64 b, i64 c) : width(a, b, c) {}
  template <class... Number>  // a refusal
  requires(sizeof...(Number) <= 3 && (std::is_arithmetic_v<Number> && ...) &&
           (std::is_floating_point_v<Number> || ...)) constexpr Padding(Number... all)
      : width(all...) {}
  constexpr Padding(const PerAxis& all, bool keeps) : width(all), same(keeps) {}
  // Another word becomes a negative width, which the convolution refuses.
  template <int N>
  constexpr Padding(const char (&word)[N]) : same(N == 5 && word[0] == 's') {
    const char* known = same ? "same" : "valid";
    bool equal = N == (same ? 5 : 6);
    for (int i = 0; equal && i < N; ++i) equal = word[i] == known[i];
    if (!equal) same = false, width = -1;
  }
  constexpr bool operator==(const Padding&) const = default;
};

// What stands in the padding: zeros (PyTorch's constant of pad), x mirrored at its edge, its edge, or its
// other end.
enum class PaddingMode : u8 { zeros, reflect, replicate, circular, constant = zeros };

struct ConvOptions {
  PerAxis stride = 1;                                   // distance of neighbouring windows
  Padding padding = 0;                                  // elements on each side of each axis; "same", "valid"
  PerAxis dilation = 1;                                 // distance of a window's elements
  i64 groups = 1;                                       // input and output channels fall into as many groups
  bool bias = true;                                     // of a layer; a function has one if it is given one
  Word<PaddingMode> padding_mode = PaddingMode::zeros;  // what the padding holds
  DType dtype = DType::f32;                             // of a layer's parameters
};

struct ConvTransposeOptions {
  PerAxis stride = 1;          // distance of neighbouring windows
  PerAxis padding = 0;         // elements cut off each side of each axis
  PerAxis output_padding = 0;  // elements added behind each axis of the result
  PerAxis dilation = 1;        // distance of a window's elements
  i64 groups = 1;              // input and output channels fall into as many groups
  bool bias = true;            // of a layer; a function has one if it is given one
  DType dtype = DType::f32;    // of a layer's parameters
};

struct PoolOptions {
  PerAxis stride = 0;             // 0: the window's extent
  PerAxis padding = 0;            // elements on each side of each axis
  PerAxis dilation = 1;           // of max pooling
  bool ceil_mode = false;         // a last window that reaches over the end counts
  bool count_include_pad = true;  // of average pooling
  i64 divisor_override = 0;       // of average pooling; 0: the window's size
};

// How values between places are found. Linear is of any number of axes, and so PyTorch's bilinear and
// trilinear, cubic its bicubic; nearest_exact stands for "nearest-exact".
// g++ says that `linear` shadows the function, where that was declared before.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
enum class Interpolation : u8 {
  nearest,
  linear,
  nearest_exact,
  cubic,
  area,
  bilinear = linear,
  trilinear = linear,
  bicubic = cubic,
};
#pragma GCC diagnostic pop

// Either the result's extents or the factors by which the input's grow, rounded down.
struct InterpolateOptions {
  PerAxis size = 0;                                   // extents of the result; this one or the next
  Factors scale_factor = 0;                           // extents of the result over the input's
  Word<Interpolation> mode = Interpolation::nearest;  // between elements
  bool align_corners = false;           // of linear and cubic: the first and last places stay where they are
  bool recompute_scale_factor = false;  // places by the ratio of the extents, not by the factor itself
  bool antialias = false;               // of linear and cubic: wider weights where the result is smaller
};

}  // namespace WEFT_NAMESPACE
