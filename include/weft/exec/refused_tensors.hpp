#pragma once
// The tensors that cannot be: of a shape first, of a type that is no dtype, without a shape, and, where nvcc
// does not compile, of a GPU. Each says so and stands for any tensor, so that no second error follows.

#include <initializer_list>
#include <type_traits>

#include "weft/core/dtype.hpp"
#include "weft/device/best.hpp"
#include "weft/exec/tensor_refusals.hpp"

namespace WEFT_NAMESPACE {

template <class T, class S = Unshaped, class Device = Cpu>
class Tensor;

// Tensor<Shape<2, 3>, f32>, refused.
template <i64... D, class T>
requires(!std::is_same_v<T, Unshaped>) class Tensor<Shape<D...>, T, Cpu> : public AfterRefusal {
  static_assert(sizeof(exec::DtypeIsFirst<sizeof(T*) == 0, Shape<D...>, T>) > 0);

 public:
  using AfterRefusal::AfterRefusal;
};

// Tensor<short, Shape<3>>, refused.
template <class T, i64... D>
requires(!Element<T>) class Tensor<T, Shape<D...>, Cpu> : public AfterRefusal {
  static_assert(sizeof(ElementHasDtype<sizeof(T*) == 0, T>) > 0);

 public:
  Tensor(std::initializer_list<T>) {}
  using AfterRefusal::AfterRefusal;
};

#if !defined(__CUDACC__)
// Tensor<f32, Shape<3>, Cuda> without nvcc.
template <class T, class S>
class Tensor<T, S, Cuda> : public AfterRefusal {
  static_assert(sizeof(CudaNeedsNvcc<sizeof(T) == 0, T, S>) > 0);

 public:
  Tensor(std::initializer_list<T>) {}
  using AfterRefusal::AfterRefusal;
};
#endif

// Tensor<f32>.
template <class T>
class Tensor<T, Unshaped, Cpu> : public AfterRefusal {
  static_assert(sizeof(ShapeIsInType<sizeof(T) == 0, T>) > 0);

 public:
  Tensor(std::initializer_list<T>) {}
  using AfterRefusal::AfterRefusal;
};

}  // namespace WEFT_NAMESPACE
