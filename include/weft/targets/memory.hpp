#pragma once
// Memory that several handles own: a tensor and views of it, a model's state and the programs that work on
// it, a result and its program. Law: it lives as long as any of them, and does not move but for a result's
// (see results.hpp).

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "weft/core/dtype.hpp"
#include "weft/core/shape.hpp"
#include "weft/core/shared.hpp"
#include "weft/device/cpu.hpp"

namespace WEFT_NAMESPACE::exec {

// Memory of a device, and its copies to and from the host, which are complete when they return.
template <class Device>
struct DeviceMemory;
// That of a device whose memory is the host's.
template <class Device>
struct HostMemory {
  using Buffer = HostBuffer;
  static Buffer allocate(const Device&, i64 bytes) { return Buffer(static_cast<std::size_t>(bytes)); }
  // Whether so much can be had at all, which is known later of each part of it.
  static void require(i64 bytes) { require_host_memory(static_cast<std::size_t>(bytes)); }
  static void zero(const Device&, std::byte* at, i64 bytes) {
    if (bytes > 0) std::memset(at, 0, static_cast<std::size_t>(bytes));
  }
  static void to_host(const Device&, void* to, const std::byte* from, i64 bytes) {
    if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
  static void from_host(const Device&, std::byte* to, const void* from, i64 bytes) {
    if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
};
template <>
struct DeviceMemory<Cpu> : HostMemory<Cpu> {};

// "head.weight (50257, 768) of f32, 147 MB".
inline std::string sized_text(std::string_view what, const Dims& dims, DType dtype, i64 bytes) {
  std::string text(what);
  text.append(" ").append(to_text(dims).c_str()).append(" of ").append(name_of(dtype));
  return text + ", " + std::to_string(bytes >> 20) + " MB";
}
// What allocate() gives; an Error of too little memory ends with text(): what it was for, what takes less.
template <class Allocate, class Text>
auto allocate_or_tell(const Allocate& allocate, const Text& text) {
  try {
    return allocate();
  } catch (const Error& e) {
    if (e.id() != "cpu/out-of-memory" && e.id() != "cuda/cudaErrorMemoryAllocation") throw;
    throw Error(e.id(), std::string(e.what()).substr(e.id().size() + 2) + ": " + text());
  }
}

// The device of the tensors that a program for Device gives: itself, or the one whose memory it works in.
template <class Device>
struct TensorsOf {
  using type = Device;
};
template <class Device>
using tensor_device = typename TensorsOf<Device>::type;

// A device without what it shows its user: runs of the library's own, which give a model its starting values,
// are no program of theirs. A device that shows what it computes has a specialisation.
template <class Device>
struct SilentDevice {
  static Device of(const Device& device) { return device; }
};

// What owners of memory share, whatever device it is of.
class Storage : public Counted {
 public:
  std::byte* data() const { return data_; }
  // In which order the streams of a GPU work on it; null where there are no streams.
  Counted* order() const { return order_.get(); }
  void ordered_as(const Storage& other) { order_ = other.order_; }

 protected:
  // What DeviceMemory<Device> has for its streams.
  template <class Device>
  void make_order() {
    if constexpr (requires { typename DeviceMemory<Device>::Order; })
      order_ = Shared<Counted>(new typename DeviceMemory<Device>::Order);
  }

  std::byte* data_ = nullptr;

 private:
  Shared<Counted> order_;
};

template <class Device>
class DeviceStorage final : public Storage {
 public:
  using Buffer = typename DeviceMemory<Device>::Buffer;
  // `given`: memory that the caller, or `owner`, keeps alive, or null for memory of its own.
  DeviceStorage(const Device& device, i64 bytes, void* given = nullptr, Shared<Storage> owner = {})
      : device_(device),
        owner_(std::move(owner)),
        buffer_(given != nullptr ? Buffer::borrow(given, static_cast<std::size_t>(bytes))
                                 : DeviceMemory<Device>::allocate(device, bytes)) {
    data_ = buffer_.data();
    this->template make_order<Device>();
  }
  const Device& device() const { return device_; }
  i64 size() const { return static_cast<i64>(buffer_.size()); }  // bytes

 private:
  Device device_;
  Shared<Storage> owner_;
  Buffer buffer_;
};

template <class Device>
Shared<DeviceStorage<Device>> allocate(const Device& device, i64 bytes, void* given = nullptr) {
  return Shared<DeviceStorage<Device>>(new DeviceStorage<Device>(device, bytes, given));
}

}  // namespace WEFT_NAMESPACE::exec
