#pragma once
// Tensor<T, Shape<...>, Cuda>: device memory with dtype, shape and device in its type. Copies to and from the
// host are explicit and complete when they return.

#include "weft/exec/cuda_function.cuh"
#include "weft/exec/immediate.hpp"
#include "weft/targets/cuda/memory.cuh"

namespace WEFT_NAMESPACE {

// Elements of a GPU's memory, read by copies to the host once all work on the device that writes them has
// ended. Data() of Self says where they start.
namespace exec {
template <class Self, class T, class S>
class CudaElements {
 public:
  // In row-major order.
  std::vector<T> to_vector() const {
    if constexpr (std::is_same_v<T, bool>) {  // whose vector has bits
      return to_host().to_vector();
    } else {
      std::vector<T> v(static_cast<std::size_t>(S::size));
      read(v.data());
      return v;
    }
  }
  T item() const {
    static_assert(S::size == 1, "item() is for tensors of one element");
    T value;
    read(&value);
    return value;
  }
  Tensor<T, S, Cpu> to_host() const {
    Tensor<T, S, Cpu> host;
    read(host.data());
    return host;
  }

 private:
  void read(T* to) const {
    const T* from = static_cast<const Self*>(this)->data();
    if (from == nullptr && S::size > 0) throw_no_elements();
    if (S::size == 0) return;
    DeviceGuard guard(device_of(from));
    cuda_wait_for_device();
    copy_now(to, from, S::size * static_cast<i64>(sizeof(T)));
  }
};
}  // namespace exec

// As the host's TensorView.
template <class T, class S>
class TensorView<T, S, Cuda> : public exec::CudaElements<TensorView<T, S, Cuda>, std::remove_const_t<T>, S>,
                               public exec::ComputedInPlace<TensorView<T, S, Cuda>> {
 public:
  using weft_tensor = void;
  using dtype = std::remove_const_t<T>;
  using shape = S;
  using device_type = Cuda;
  static constexpr int rank = S::rank;
  static constexpr i64 element_count = S::size;

  constexpr TensorView() = default;
  constexpr explicit TensorView(T* data) : data_(data) {}
  TensorView(const TensorView&) = default;
  TensorView(TensorView&&) noexcept = default;
  TensorView& operator=(const TensorView&) & = default;
  TensorView& operator=(TensorView&&) & noexcept = default;
  // As the host's, of values of the host or of a GPU; complete on return, behind all that this GPU has to do.
  template <class A>
  void operator=(const A& values) && {
    constexpr bool written = !std::is_const_v<T>;
    static_assert(sizeof(exec::MemoryIsWritten<written, TensorView>) > 0);
    if constexpr (written) {
      if (data() == nullptr && S::size > 0) exec::throw_no_elements();
      if constexpr (std::is_arithmetic_v<A> || Element<A>)
        write(Tensor<dtype, S, Cpu>::full(exec::as_element<dtype>(values)).data());
      else if constexpr (is_lazy<A>)
        write(Tensor<dtype, S, Cuda>(values, Cuda{exec::device_of(data())}).data());
      else if constexpr (on_gpu<A>())
        write(values.data());
      else
        write(Tensor<dtype, S, Cpu>(values).data());
    }
  }
  void operator=(std::initializer_list<dtype> values) && { std::move(*this) = std::vector<dtype>(values); }
  template <class U>
  requires exec::are_rounded<dtype, U, U>
  void operator=(std::initializer_list<U> values) && { std::move(*this) = exec::as_elements<dtype>(values); }
  TensorView(T* data, Shared<exec::Storage> owner) : data_(data), owner_(std::move(owner)) {}
  explicit TensorView(Shared<exec::Storage> whole) : owner_(std::move(whole)) {}
  // To be read only. (A template, as nvcc warns of a conversion of a type to itself that is never called.)
  template <class View>
  requires(!std::is_const_v<T> && std::is_same_v<View, TensorView<const T, S, Cuda>>) operator View() const {
    return data_ != nullptr ? View(data_, owner_) : View(owner_);
  }
  T* data() const {
    return data_ != nullptr ? data_ : owner_ ? reinterpret_cast<T*>(owner_->data()) : nullptr;
  }
  static constexpr i64 size() { return S::size; }
  static constexpr i64 extent(int axis) { return checked_extent(S::value, axis); }
  TensorView span() const { return TensorView(data()); }
  TensorView view() const { return *this; }
  // Who owns the memory, where that is known.
  const exec::Storage* storage() const { return owner_.get(); }
  // Whether the elements go elsewhere when the function that made them runs again.
  bool may_move() const { return data_ == nullptr && owner_; }
  operator dtype() const requires(S::size == 1) { return this->item(); }

 private:
  template <class A>
  static constexpr bool on_gpu() {
    if constexpr (TensorLike<A>)
      return std::is_same_v<typename A::device_type, Cuda> && std::is_same_v<typename A::dtype, dtype> &&
             std::is_same_v<typename A::shape, S>;
    else
      return false;
  }
  void write(const dtype* from) const {
    const Cuda device{exec::device_of(data())};
    exec::copy_in(device, data(), from, S::size * static_cast<i64>(sizeof(T)));
  }

  T* data_ = nullptr;
  Shared<exec::Storage> owner_;
};

// A tensor of the GPU: its own memory, on the device that it is made for (the first by default).
template <class T, class S>
class Tensor<T, S, Cuda> : public exec::CudaElements<Tensor<T, S, Cuda>, T, S>,
                           public exec::ComputedAnew<Tensor<T, S, Cuda>> {
  using Memory = exec::DeviceMemory<Cuda>;

 public:
  using weft_tensor = void;
  using dtype = T;
  using shape = S;
  using device_type = Cuda;
  using View = TensorView<T, S, Cuda>;
  static constexpr int rank = S::rank;

  explicit Tensor(const Cuda& device = Cuda{}) : storage_(exec::allocate(device, bytes())) {
    Memory::zero(device, storage_->data(), bytes());
  }
  // From host or device memory.
  explicit Tensor(const T* values, const Cuda& device = Cuda{}) : storage_(exec::allocate(device, bytes())) {
    fill(values);
  }
  Tensor(std::initializer_list<T> values, const Cuda& device = Cuda{})
      : storage_(exec::allocate(device, bytes())) {
    check_size(values.size());
    fill(values.begin());
  }
  Tensor(const std::vector<T>& values, const Cuda& device = Cuda{})
      : storage_(exec::allocate(device, bytes())) {
    check_size(values.size());
    if constexpr (std::is_same_v<T, bool>)
      fill(Tensor<T, S, Cpu>(values).data());
    else
      fill(values.data());
  }
  // What else braces make a tensor of the host of: rows, and numbers for f16, bf16 and f8.
  Tensor(std::initializer_list<std::initializer_list<T>> rows,
         const Cuda& device = Cuda{}) requires(S::rank == 2 && S::value[1] > 1)
      : Tensor(Tensor<T, S, Cpu>(rows), device) {}
  template <class U>
  requires(exec::are_rounded<T, U, U>&& S::rank == 2 && S::value[1] > 1)
      Tensor(std::initializer_list<std::initializer_list<U>> rows, const Cuda& device = Cuda{})
      : Tensor(Tensor<T, S, Cpu>(rows), device) {}
  template <class U>
  requires exec::are_rounded<T, U, U> Tensor(std::initializer_list<U> values, const Cuda& device = Cuda{})
      : Tensor(exec::as_elements<T>(values), device) {}
  template <class Number>
  requires std::is_arithmetic_v<Number> || std::is_null_pointer_v<Number>
  explicit Tensor(Number, const Cuda& = Cuda{}) {
    static_assert(sizeof(exec::TensorTakesElements<sizeof(Number) == 0, Number, T, S>) > 0);
  }
  template <class U>
  requires exec::is_cut<U, T>
  explicit Tensor(std::initializer_list<U>, const Cuda& = Cuda{}) {
    static_assert(sizeof(exec::ElementsKeepDtype<sizeof(U) == 0, U, T, S>) > 0);
  }
  explicit Tensor(const Tensor<T, S, Cpu>& host, const Cuda& device = Cuda{}) : Tensor(host.data(), device) {}
  Tensor(const View& view, const Cuda& device = Cuda{}) : storage_(exec::allocate(device, bytes())) {
    fill(view.data());
  }
  Tensor(const Tensor& other) : Tensor(other.data(), other.device()) {}
  Tensor(Tensor&&) noexcept = default;
  // Runs the expression.
  template <class Op, class... Args>
  Tensor(const Lazy<Op, Args...>& lazy, const Cuda& device = Cuda{})
      : storage_(exec::allocate(device, bytes())) {
    exec::evaluate<T, S>(lazy, data(), device);
  }
  Tensor& operator=(const Tensor& other) {
    if (!storage_) return *this = Tensor(other);
    if (this == &other) return *this;
    DeviceGuard guard(device().ordinal);
    cuda_wait_for_device();  // what reads the elements that go
    fill(other.data());
    return *this;
  }
  // As the host's.
  Tensor& operator=(Tensor&& other) {
    if (this == &other) return *this;
    if (storage_ && other.storage_ && !storage_->has_one_owner()) return *this = std::as_const(other);
    storage_ = std::move(other.storage_);
    return *this;
  }
  template <class Op, class... Args>
  Tensor& operator=(const Lazy<Op, Args...>& lazy) {
    // by way of new memory: the expression may read this tensor
    *this = Tensor(lazy, storage_ ? device() : Cuda{});
    return *this;
  }
  Tensor& operator=(const Tensor<T, S, Cpu>& host) {
    return *this = Tensor(host, storage_ ? device() : Cuda{});
  }
  // Refused, as the host's.
  template <class Number>
  requires std::is_arithmetic_v<Number>
  auto& operator=(Number) {
    static_assert(sizeof(exec::TensorTakesElements<sizeof(Number) == 0, Number, T, S>) > 0);
    return *this;
  }
  // The same number everywhere.
  static Tensor full(T value, const Cuda& device = Cuda{}) {
    return Tensor(Tensor<T, S, Cpu>::full(value), device);
  }
  template <class U>
  requires exec::is_cut<U, T>
  static Tensor full(U, const Cuda& = Cuda{}) {  // a refusal
    static_assert(sizeof(exec::ElementsKeepDtype<sizeof(U) == 0, U, T, S>) > 0);
    return Tensor{};
  }

  T* data() { return storage_ ? reinterpret_cast<T*>(storage_->data()) : nullptr; }
  const T* data() const { return storage_ ? reinterpret_cast<const T*>(storage_->data()) : nullptr; }
  static constexpr i64 size() { return S::size; }
  static constexpr i64 extent(int axis) { return checked_extent(S::value, axis); }
  const Cuda& device() const {
    if (!storage_) exec::throw_no_elements();
    return storage_->device();
  }
  const exec::Storage* storage() const { return storage_.get(); }
  View view() { return View(data(), storage_); }
  TensorView<const T, S, Cuda> view() const { return {data(), storage_}; }

 private:
  static constexpr i64 bytes() { return S::size * static_cast<i64>(sizeof(T)); }
  static void check_size(std::size_t count) {
    if (count != static_cast<std::size_t>(S::size)) exec::throw_element_count(S::size, count);
  }
  void fill(const T* values) {
    if (values == nullptr && S::size > 0) exec::throw_no_elements();
    exec::copy_in(storage_->device(), storage_->data(), values, bytes());
  }

  Shared<exec::DeviceStorage<Cuda>> storage_;
};

}  // namespace WEFT_NAMESPACE
