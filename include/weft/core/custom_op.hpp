#pragma once
// Primitives that a program adds: it specialises custom_op<id> in a file of its own, and weft never hears of
// it elsewhere. Law: a primitive is a function of its operands alone, and its result is one tensor.
//
//   template <>
//   struct weft::custom_op<weft::op_id("swish")> {
//     static constexpr const char* name = "swish";
//     // The result's dtype and shape from those of the operands; TensorType{} refuses them. Without `type`
//     // the result is like the first operand.
//     static constexpr TensorType type(TensorType x, TensorType beta);
//     // Fills y; operands are row-major and do not overlap it. An `int threads` may stand behind them, which
//     // is for parallel_for.
//     static void host(CustomTensor<f32> y, CustomTensor<const f32> x, CustomTensor<const f32> beta);
//     // The same on a GPU, enqueued on the stream; only where nvcc compiles.
//     static void cuda(CustomTensor<f32> y, ..., cudaStream_t stream);
//     // From the gradient g of the result y: that of x, or a tuple with one for every operand, in which
//     // no_gradient stands for those without. Made of operations, so that it can be differentiated.
//     static constexpr auto gradient(auto g, auto y, auto x, auto beta);
//   };
//   inline constexpr auto& swish = weft::custom<"swish">;

#include <string_view>

#include "weft/core/dtype.hpp"
#include "weft/core/shape.hpp"

namespace WEFT_NAMESPACE {

template <u64 Id>
struct custom_op;

// A primitive takes at most so many operands.
inline constexpr int most_custom_operands = 32;

// The id of a name (FNV-1a): two primitives of one program have different names.
constexpr u64 op_id(std::string_view name) {
  u64 h = 14695981039346656037u;
  for (const char c : name) h = (h ^ static_cast<u64>(static_cast<unsigned char>(c))) * 1099511628211u;
  return h;
}

// The same where a template argument is one or the other.
struct CustomId {
  u64 value = 0;  // what op_id gives

  constexpr CustomId(u64 id) : value(id) {}
  template <std::size_t N>
  constexpr CustomId(const char (&name)[N]) : value(op_id({name, N - 1})) {}
};

// A dtype and extents as values. TensorType{} is no tensor's.
struct TensorType {
  DType dtype = DType::f32;  // of the elements
  Dims dims{-1, {}};         // rank and extents
};

// Memory of an operand (const T) or of the result: dims.size() elements in row-major order.
template <class T>
struct CustomTensor {
  T* data = nullptr;  // elements, row-major
  Dims dims;          // rank and extents
  WEFT_HD constexpr i64 size() const { return dims.size(); }
  WEFT_HD constexpr T& operator[](i64 i) const { return data[i]; }
};

// Stands in a gradient's tuple for an operand that has none.
struct NoGradient {};
inline constexpr NoGradient no_gradient{};

}  // namespace WEFT_NAMESPACE
