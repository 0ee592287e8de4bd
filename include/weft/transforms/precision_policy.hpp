#pragma once
// Policies: how a trainer or a function computes its matrix products.

#include <string_view>
#include <type_traits>

#include "weft/core/diagnose.hpp"
#include "weft/core/dtype.hpp"
#include "weft/core/option.hpp"
#include "weft/core/shape.hpp"

namespace WEFT_NAMESPACE::transforms {

// The dtype in which products of f32 operands are computed, and whether those that stay f32 may round their
// factors to TF32.
struct PrecisionRule {
  DType compute = DType::f32;
  bool tf32 = false;
  constexpr bool changes_nothing() const { return compute == DType::f32 && !tf32; }
};

}  // namespace WEFT_NAMESPACE::transforms

namespace WEFT_NAMESPACE::precision {

// Delayed scaling of f8: a tensor's scale is the largest number of its format, over the largest magnitude
// that the tensor had in the last `history` updates, over 2^margin.
struct DelayedScaling {
  int history = 16;  // 1 to 4096
  int margin = 0;    // 0 to 16
};
// All products between the first and the last layer.
struct InnerLayers {};

// Everything as written.
struct F32 : PolicyValue {
  static constexpr OptionKind option = OptionKind::precision;
  static constexpr transforms::PrecisionRule rule{DType::f32};
  static constexpr bool scaled = false;
};
// Matrix products and convolutions of f32 operands may round these to TF32 (10 bits of mantissa; sums in
// f32), as tensor cores of GPUs do; on the host they are f32.
struct TF32 : PolicyValue {
  static constexpr OptionKind option = OptionKind::precision;
  static constexpr transforms::PrecisionRule rule{DType::f32, true};
  static constexpr bool scaled = false;
};
// Operands in bf16, sums in f32, master weights in f32.
struct BF16 : PolicyValue {
  static constexpr OptionKind option = OptionKind::precision;
  static constexpr transforms::PrecisionRule rule{DType::bf16};
  static constexpr bool scaled = false;
};
// Operands in f16; the loss is scaled so that gradients do not underflow, and an update whose gradients are
// not all finite is skipped (the scale halves; after 2,000 good updates it doubles). All of that happens on
// the device.
struct F16 : PolicyValue {
  static constexpr OptionKind option = OptionKind::precision;
  static constexpr transforms::PrecisionRule rule{DType::f16};
  static constexpr bool scaled = true;
};

WEFT_REFUSAL(DelayedScalingFits,
             "precision::f8_with: the history is 1 to 4096 steps long, and the margin 0 to 16");
WEFT_REFUSAL(
    F8AsksOfParameters,
    "precision::f8_with: the predicate is constexpr and takes the name of a parameter and its shape: "
    "precision::f8_with<precision::DelayedScaling{}, [](std::string_view name, const Dims& shape) { "
    "return name != \"head.weight\"; }>");

// Of a trainer. Products with parameters take factors in e4m3, and in the backward pass gradients in e5m2,
// each tensor at a scale of its own (transforms/delayed_scaling.hpp); all other products are those of BF16.
// Predicate(name, shape) says of each parameter, in a Stack of each block's, whether its products are among
// them.
template <DelayedScaling Scaling = DelayedScaling{}, auto Predicate = InnerLayers{}>
struct F8 : PolicyValue {
  static_assert(sizeof(DelayedScalingFits<(Scaling.history >= 1 && Scaling.history <= 4096 &&
                                           Scaling.margin >= 0 && Scaling.margin <= 16),
                                          GivenSize<Scaling.history>, GivenSize<Scaling.margin>>) > 0);
  static constexpr OptionKind option = OptionKind::precision;
  static constexpr transforms::PrecisionRule rule{DType::bf16};
  static constexpr bool scaled = false;
  static constexpr DelayedScaling scaling = Scaling;
  static constexpr bool inner = std::is_same_v<std::remove_cvref_t<decltype(Predicate)>, InnerLayers>;
  static constexpr bool chooses(std::string_view name, const Dims& shape) {
    if constexpr (inner) {
      return true;
    } else {
      constexpr bool fits = requires { static_cast<bool>(Predicate(name, shape)); };
      static_assert(sizeof(F8AsksOfParameters<fits, decltype(Predicate)>) > 0);
      if constexpr (fits)
        return static_cast<bool>(Predicate(name, shape));
      else
        return false;
    }
  }
};
// Whether a policy is one of f8.
template <class Policy>
inline constexpr bool is_f8 = false;
template <DelayedScaling Scaling, auto Predicate>
inline constexpr bool is_f8<F8<Scaling, Predicate>> = true;

inline constexpr F32 f32{};
inline constexpr TF32 tf32{};
inline constexpr BF16 bf16{};
inline constexpr F16 f16{};
// Products of all layers but the first and the last; a layer is a product, a convolution or a look-up with a
// parameter, in the order in which the loss is traced, and the blocks of a Stack are one.
inline constexpr F8<> f8{};
// The same with options, and of the parameters that Predicate(name, shape) holds for.
template <DelayedScaling Scaling, auto Predicate = InnerLayers{}>
inline constexpr F8<Scaling, Predicate> f8_with{};

WEFT_REFUSAL(PrecisionIsNamed,
             "a precision is one of precision::f32 (the default), precision::tf32, precision::bf16, "
             "precision::f16, which scales the loss, and precision::f8, of a trainer");
// PyTorch's names, refused where they are an option.
struct Misnamed : F32 {};
inline constexpr Misnamed float32{}, fp32{}, float16{}, fp16{}, half{}, bfloat16{}, fp8{}, float8{}, amp{},
    mixed{};

}  // namespace WEFT_NAMESPACE::precision
