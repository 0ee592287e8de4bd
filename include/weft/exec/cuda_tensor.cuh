#pragma once
// Tensor<T, Shape<...>, Cuda>: device memory with dtype, shape and device in its type. Copies to and from the
// host are explicit and complete when they return.

#include "weft/exec/cuda_program.cuh"
#include "weft/exec/immediate.hpp"

namespace weft {

namespace exec {

// Between host and device, or within a device; complete on return.
inline void copy_now(void* to, const void* from, i64 bytes) {
  if (bytes == 0) return;
  cuda_check(cudaMemcpy(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault), "cudaMemcpy");
}

}  // namespace exec

// Device memory that something else owns: a program's result, valid until its next call, or the caller's.
template <class T, class S>
class TensorView<T, S, Cuda> {
 public:
  using weft_tensor = void;
  using dtype = std::remove_const_t<T>;
  using shape = S;
  using device_type = Cuda;
  static constexpr int rank = S::rank;
  static constexpr i64 element_count = S::size;

  constexpr TensorView() = default;
  constexpr explicit TensorView(T* data) : data_(data) {}
  constexpr T* data() const { return data_; }
  static constexpr i64 size() { return S::size; }
  static constexpr i64 extent(int axis) { return S::value[axis]; }

  // The elements in row-major order, once all work on the device that writes them has ended.
  std::vector<dtype> to_vector() const {
    std::vector<dtype> v(static_cast<std::size_t>(S::size));
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    exec::copy_now(v.data(), data_, S::size * static_cast<i64>(sizeof(T)));
    return v;
  }
  dtype item() const {
    static_assert(S::size == 1, "item() is for tensors of one element");
    dtype value;
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    exec::copy_now(&value, data_, sizeof(T));
    return value;
  }
  operator dtype() const requires(S::size == 1) { return item(); }

 private:
  T* data_ = nullptr;
};

// A tensor of the GPU: its own memory, on the device that it is made for (the first by default).
template <class T, class S>
class Tensor<T, S, Cuda> {
 public:
  using weft_tensor = void;
  using dtype = T;
  using shape = S;
  using device_type = Cuda;
  using View = TensorView<T, S, Cuda>;
  static constexpr int rank = S::rank;

  explicit Tensor(const Cuda& device = Cuda{}) : device_(device), buffer_(allocate(device)) {
    DeviceGuard guard(device_.ordinal);
    cuda_check(cudaMemset(buffer_.data(), 0, buffer_.size()), "cudaMemset");
  }
  // From host or device memory.
  explicit Tensor(const T* values, const Cuda& device = Cuda{}) : device_(device), buffer_(allocate(device)) {
    fill(values);
  }
  Tensor(std::initializer_list<T> values, const Cuda& device = Cuda{})
      : device_(device), buffer_(allocate(device)) {
    check_size(values.size());
    fill(values.begin());
  }
  Tensor(const std::vector<T>& values, const Cuda& device = Cuda{})
      : device_(device), buffer_(allocate(device)) {
    check_size(values.size());
    fill(values.data());
  }
  explicit Tensor(const Tensor<T, S, Cpu>& host, const Cuda& device = Cuda{}) : Tensor(host.data(), device) {}
  Tensor(const View& view, const Cuda& device = Cuda{}) : device_(device), buffer_(allocate(device)) {
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    fill(view.data());
  }
  Tensor(const Tensor& other) : Tensor(other.data(), other.device_) {}
  Tensor(Tensor&&) noexcept = default;
  // Runs the expression.
  template <class Op, class... Args>
  Tensor(const Lazy<Op, Args...>& lazy, const Cuda& device = Cuda{})
      : device_(device), buffer_(allocate(device)) {
    exec::evaluate<T, S>(lazy, data(), device_);
  }
  Tensor& operator=(const Tensor& other) {
    if (this != &other) fill(other.data());
    return *this;
  }
  Tensor& operator=(Tensor&&) noexcept = default;
  template <class Op, class... Args>
  Tensor& operator=(const Lazy<Op, Args...>& lazy) {
    *this = Tensor(lazy, device_);  // by way of new memory: the expression may read this tensor
    return *this;
  }

  T* data() { return reinterpret_cast<T*>(buffer_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(buffer_.data()); }
  static constexpr i64 size() { return S::size; }
  static constexpr i64 extent(int axis) { return S::value[axis]; }
  const Cuda& device() const { return device_; }
  View view() { return View(data()); }
  std::vector<T> to_vector() const { return View(const_cast<T*>(data())).to_vector(); }
  Tensor<T, S, Cpu> to_host() const { return Tensor<T, S, Cpu>(to_vector()); }
  T item() const { return View(const_cast<T*>(data())).item(); }

 private:
  static constexpr std::size_t bytes() { return static_cast<std::size_t>(S::size) * sizeof(T); }
  static DeviceBuffer allocate(const Cuda& device) {
    require_cuda(device);
    DeviceGuard guard(device.ordinal);
    return DeviceBuffer(bytes());
  }
  static void check_size(std::size_t count) {
    if (count != static_cast<std::size_t>(S::size))
      throw Error("tensor/size",
                  "a tensor of " + std::to_string(S::size) + " elements was given " + std::to_string(count));
  }
  void fill(const T* values) { exec::copy_now(buffer_.data(), values, static_cast<i64>(bytes())); }

  Cuda device_;
  DeviceBuffer buffer_;
};

}  // namespace weft
