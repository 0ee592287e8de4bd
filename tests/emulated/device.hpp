#pragma once
// A device whose programs run as a GPU's would, in emulated blocks on the host, with the host's memory: for
// tests that train a model on it.

#include "emulated/program.hpp"
#include "weft/exec/model.hpp"

// A view of such a device's memory, which is the host's: what functions on it return.
template <class T, class S>
class weft::TensorView<T, S, weft::emulated::Device> {
 public:
  using weft_tensor = void;
  using dtype = std::remove_const_t<T>;
  using shape = S;
  using device_type = emulated::Device;
  static constexpr int rank = S::rank;

  explicit TensorView(Shared<exec::Storage> whole) : owner_(std::move(whole)) {}
  T* data() const { return reinterpret_cast<T*>(owner_->data()); }
  std::vector<dtype> to_vector() const { return std::vector<dtype>(data(), data() + S::size); }

 private:
  Shared<exec::Storage> owner_;
};

template <>
struct weft::exec::DeviceMemory<weft::emulated::Device> {
  using Buffer = HostBuffer;
  using Host = DeviceMemory<Cpu>;
  static Buffer allocate(const emulated::Device&, i64 bytes) { return Host::allocate(Cpu{}, bytes); }
  static void zero(const emulated::Device&, std::byte* at, i64 bytes) { Host::zero(Cpu{}, at, bytes); }
  static void to_host(const emulated::Device&, void* to, const std::byte* from, i64 bytes) {
    Host::to_host(Cpu{}, to, from, bytes);
  }
  static void from_host(const emulated::Device&, std::byte* to, const void* from, i64 bytes) {
    Host::from_host(Cpu{}, to, from, bytes);
  }
};
