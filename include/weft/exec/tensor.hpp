#pragma once
// Tensor<T, Shape<...>, Device>: memory with dtype, shape and device in its type. Operations on tensors are
// written down as a Lazy tree and run as one program when assigned to a tensor.

#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "weft/device/cpu.hpp"
#include "weft/ops/expr.hpp"

namespace weft {

namespace exec {
// Runs a lazy tree and writes its result; defined in immediate.hpp for every device.
template <class T, class S, class Device, class L>
void evaluate(const L& lazy, T* to, const Device& device);
}  // namespace exec

// Memory of one device that something else owns: a program's result, valid until its next call, or the
// caller's. Of a const T it is only read.
template <class T, class S, class Device>
class TensorView {
 public:
  using weft_tensor = void;
  using dtype = std::remove_const_t<T>;
  using shape = S;
  using device_type = Device;
  static constexpr int rank = S::rank;
  static constexpr i64 element_count = S::size;

  constexpr TensorView() = default;
  constexpr explicit TensorView(T* data) : data_(data) {}
  constexpr T* data() const { return data_; }
  static constexpr i64 size() { return S::size; }
  static constexpr i64 extent(int axis) { return S::value[axis]; }

  // Elements in row-major order; host memory only.
  T& operator[](i64 i) const { return data_[i]; }
  template <class... I>
  T& operator()(I... index) const {
    static_assert(sizeof...(I) == static_cast<std::size_t>(S::rank), "a tensor takes one index an axis");
    i64 at = 0, axis = 0;
    ((at = at * S::value.extent[axis++] + static_cast<i64>(index)), ...);
    return data_[at];
  }
  dtype item() const {
    static_assert(S::size == 1, "item() is for tensors of one element");
    return data_[0];
  }
  operator dtype() const requires(S::size == 1) { return data_[0]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + S::size; }
  std::vector<dtype> to_vector() const { return std::vector<dtype>(data_, data_ + S::size); }

 private:
  T* data_ = nullptr;
};

template <class T, class S, class Device = Cpu>
class Tensor;

// A host tensor: its own 256-byte aligned memory.
template <class T, class S>
class Tensor<T, S, Cpu> {
 public:
  using weft_tensor = void;
  using dtype = T;
  using shape = S;
  using device_type = Cpu;
  using View = TensorView<T, S, Cpu>;
  static constexpr int rank = S::rank;

  Tensor() : buffer_(bytes()) { std::memset(buffer_.data(), 0, bytes()); }
  explicit Tensor(const T* values) : buffer_(bytes()) { std::memcpy(buffer_.data(), values, bytes()); }
  Tensor(std::initializer_list<T> values) : buffer_(bytes()) { fill_from(values.begin(), values.size()); }
  Tensor(const std::vector<T>& values) : buffer_(bytes()) { fill_from(values.data(), values.size()); }
  Tensor(const TensorView<T, S, Cpu>& view) : Tensor(static_cast<const T*>(view.data())) {}
  Tensor(const Tensor& other) : Tensor(static_cast<const T*>(other.data())) {}
  Tensor(Tensor&&) noexcept = default;
  // Runs the expression.
  template <class Op, class... Args>
  Tensor(const Lazy<Op, Args...>& lazy) : buffer_(bytes()) {
    exec::evaluate<T, S>(lazy, data(), Cpu{});
  }
  Tensor& operator=(const Tensor& other) {
    if (this != &other) std::memcpy(buffer_.data(), other.buffer_.data(), bytes());
    return *this;
  }
  Tensor& operator=(Tensor&&) noexcept = default;
  template <class Op, class... Args>
  Tensor& operator=(const Lazy<Op, Args...>& lazy) {
    // by way of new memory: the expression may read this tensor
    *this = Tensor(lazy);
    return *this;
  }

  static Tensor full(T value) {
    Tensor t;
    for (T& x : t) x = value;
    return t;
  }

  T* data() { return reinterpret_cast<T*>(buffer_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(buffer_.data()); }
  static constexpr i64 size() { return S::size; }
  static constexpr i64 extent(int axis) { return S::value[axis]; }
  View view() { return View(data()); }
  T& operator[](i64 i) { return data()[i]; }
  const T& operator[](i64 i) const { return data()[i]; }
  template <class... I>
  T& operator()(I... index) {
    return view()(index...);
  }
  template <class... I>
  const T& operator()(I... index) const {
    return View(const_cast<T*>(data()))(index...);
  }
  T item() const {
    static_assert(S::size == 1, "item() is for tensors of one element");
    return data()[0];
  }
  T* begin() { return data(); }
  T* end() { return data() + S::size; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + S::size; }
  std::vector<T> to_vector() const { return std::vector<T>(begin(), end()); }

 private:
  static constexpr std::size_t bytes() { return static_cast<std::size_t>(S::size) * sizeof(T); }
  void fill_from(const T* values, std::size_t count) {
    if (count != static_cast<std::size_t>(S::size))
      throw Error("tensor/size",
                  "a tensor of " + std::to_string(S::size) + " elements was given " + std::to_string(count));
    std::memcpy(buffer_.data(), values, bytes());
  }
  HostBuffer buffer_;
};

}  // namespace weft
