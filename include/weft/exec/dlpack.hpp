#pragma once
// Tensors handed to other libraries, and taken from them, without a copy: DLPack, the C structures of
// https://dmlc.github.io/dlpack/latest/c_api.html. Law: memory is freed once, by who made it, when the last
// one who holds it has said so.

#include <string>
#include <type_traits>
#include <utility>

#include "weft/core/constexpr_stage.hpp"
#include "weft/exec/tensor.hpp"

namespace WEFT_NAMESPACE {
namespace dlpack {

// As the C header declares them, under names of our own, so that both may be included.
struct DeviceId {
  i32 type = 0;  // cpu, cuda, ...
  i32 id = 0;    // number of the GPU
};
struct DataType {
  u8 code = 0;    // whether integers, floats, ...
  u8 bits = 0;    // of a lane
  u16 lanes = 1;  // of an element
  constexpr bool operator==(const DataType&) const = default;
};
struct TensorData {
  void* data = nullptr;    // memory of the device
  DeviceId device;         // where the elements are
  i32 ndim = 0;            // axes
  DataType dtype;          // of an element
  i64* shape = nullptr;    // of ndim extents
  i64* strides = nullptr;  // of ndim, in elements; null: row-major without gaps
  u64 byte_offset = 0;     // of the first element
};
// DLManagedTensor, which every library takes.
struct ManagedTensor {
  TensorData dl_tensor;                       // the elements
  void* manager_ctx = nullptr;                // of who made it
  void (*deleter)(ManagedTensor*) = nullptr;  // called once, by who has taken it
};
// DLManagedTensorVersioned, which can say that elements are read only.
struct ManagedTensorVersioned {
  struct {
    u32 major = 1, minor = 0;
  } version;                                           // of the structure
  void* manager_ctx = nullptr;                         // of who made it
  void (*deleter)(ManagedTensorVersioned*) = nullptr;  // called once, by who has taken it
  u64 flags = 0;                                       // read_only, ...
  TensorData dl_tensor;                                // the elements
};
inline constexpr i32 cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13;
inline constexpr u64 read_only = 1;

constexpr DataType data_type(DType dtype) {
  const u8 bits = static_cast<u8>(size_of(dtype) * 8);
  switch (dtype) {
    case DType::f64:
    case DType::f32:
    case DType::f16:
      return {2, bits, 1};
    case DType::bf16:
      return {4, bits, 1};
    case DType::f8e4m3:
      return {10, bits, 1};
    case DType::f8e5m2:
      return {12, bits, 1};
    case DType::boolean:
      return {6, bits, 1};
    case DType::u8:
    case DType::u32:
      return {1, bits, 1};
    default:
      return {0, bits, 1};
  }
}

// What a device is called, and where memory of it lies. A specialisation has
//   static DeviceId id(const void* data);
//   static bool is_readable(DeviceId id);  // by a tensor of this device
//   static Tensor<T, S, Device> copy(const TensorView<T, S, Device>&);
//   static void wait(const void* data);  // until everything that was started has written it
template <class Device>
struct DeviceTraits;
template <>
struct DeviceTraits<Cpu> {
  static DeviceId id(const void*) { return {cpu, 0}; }
  static bool is_readable(DeviceId id) {
    return id.type == cpu || id.type == cuda_host || id.type == cuda_managed;
  }
  template <class T, class S>
  static Tensor<std::remove_const_t<T>, S, Cpu> copy(const TensorView<T, S, Cpu>& view) {
    return view;
  }
  static void wait(const void*) {}
};

WEFT_REFUSAL(WritableForAll,
             "to_dlpack: DLManagedTensor cannot say that elements are read only: give a tensor that is not "
             "const, or write to_dlpack<dlpack::ManagedTensorVersioned>(x)");

// Structures of the C header, or ours: M has a member `flags` if it is the one with a version.
template <class M>
inline constexpr bool is_versioned = requires(M m) {
  m.flags;
};
template <class M>
using Own = std::conditional_t<is_versioned<M>, ManagedTensorVersioned, ManagedTensor>;

// Memory of another library.
template <class M>
class ForeignStorage final : public exec::Storage {
 public:
  explicit ForeignStorage(M* from) : from_(from) {
    data_ = static_cast<std::byte*>(from->dl_tensor.data) + from->dl_tensor.byte_offset;
  }
  ~ForeignStorage() override {
    if (from_->deleter != nullptr) from_->deleter(from_);
  }

 private:
  M* from_;
};

}  // namespace dlpack

// The elements of a view as a DLManagedTensor, without a copy, whose memory lives until its deleter is
// called; memory that the view does not own is the caller's to keep. A result that its function would move
// when it runs again is copied. Of a GPU's the device is waited for. `Managed` may be the C header's
// structure: to_dlpack<DLManagedTensor>(x).
template <class Managed = dlpack::ManagedTensor, class T, class S, class Device>
Managed* to_dlpack(const TensorView<T, S, Device>& view) {
  using Own = dlpack::Own<Managed>;
  using Traits = dlpack::DeviceTraits<Device>;
  static_assert(sizeof(Own) == sizeof(Managed), "weft: no structure of DLPack");
  constexpr bool ok = dlpack::is_versioned<Managed> || !std::is_const_v<T>;
  static_assert(sizeof(dlpack::WritableForAll<ok, TensorView<T, S, Device>>) > 0);
  if (view.may_move()) {
    auto copy = Traits::copy(view);
    return to_dlpack<Managed>(copy.view());
  }
  if (view.data() == nullptr && S::size > 0) exec::throw_no_elements();
  struct Export {
    Own managed;
    i64 shape[at_least_one(S::rank)], strides[at_least_one(S::rank)];
    TensorView<T, S, Device> view;
  };
  auto* const out = new Export{{}, {}, {}, view};
  i64 stride = 1;
  for (int axis = S::rank - 1; axis >= 0; --axis) {
    out->shape[axis] = S::value[axis];
    out->strides[axis] = stride;
    stride *= S::value[axis];
  }
  dlpack::TensorData& tensor = out->managed.dl_tensor;
  tensor.data = const_cast<std::remove_const_t<T>*>(view.data());
  tensor.device = Traits::id(view.data());
  tensor.ndim = S::rank;
  tensor.dtype = dlpack::data_type(dtype_of<std::remove_const_t<T>>);
  tensor.shape = out->shape, tensor.strides = out->strides;
  if constexpr (dlpack::is_versioned<Managed>)
    out->managed.flags = std::is_const_v<T> ? dlpack::read_only : 0;
  out->managed.manager_ctx = out;
  out->managed.deleter = [](Own* self) { delete static_cast<Export*>(self->manager_ctx); };
  Traits::wait(view.data());
  return reinterpret_cast<Managed*>(&out->managed);
}
template <class Managed = dlpack::ManagedTensor, class T, class S, class Device>
Managed* to_dlpack(Tensor<T, S, Device>& tensor) {
  return to_dlpack<Managed>(tensor.view());
}
template <class Managed = dlpack::ManagedTensor, class T, class S, class Device>
Managed* to_dlpack(const Tensor<T, S, Device>& tensor) {
  return to_dlpack<Managed>(tensor.view());
}
template <class Managed = dlpack::ManagedTensor, class T, class S, class Device>
Managed* to_dlpack(Tensor<T, S, Device>&& tensor) {
  return to_dlpack<Managed>(tensor.view());
}

// Elements of another library, without a copy: a view that calls the deleter when the last copy of it is
// gone. Throws "dlpack/mismatch" where they are of another dtype, shape or device, not row-major without
// gaps, or read only and T is not const; then the structure is still the caller's.
template <class T, class S, class Device = Cpu, class Managed>
TensorView<T, S, Device> from_dlpack(Managed* given) {
  using Own = dlpack::Own<Managed>;
  static_assert(sizeof(Own) == sizeof(Managed), "weft: no structure of DLPack");
  auto* const managed = reinterpret_cast<Own*>(given);
  const auto fail = [](const std::string& what) { throw Error("dlpack/mismatch", "from_dlpack: " + what); };
  if (managed == nullptr) fail("the pointer is null");
  if constexpr (dlpack::is_versioned<Managed>) {
    if (managed->version.major != 1)
      fail("it is of version " + std::to_string(managed->version.major) + ", and this reads 1");
    if (!std::is_const_v<T> && (managed->flags & dlpack::read_only) != 0)
      fail("its elements are read only: take it as from_dlpack<const T, ...>");
  }
  const dlpack::TensorData& tensor = managed->dl_tensor;
  if (!dlpack::DeviceTraits<Device>::is_readable(tensor.device))
    fail("its memory is of device type " + std::to_string(tensor.device.type) +
         " of DLPack, which this device does not read");
  constexpr DType dtype = dtype_of<std::remove_const_t<T>>;
  constexpr dlpack::DataType wanted = dlpack::data_type(dtype);
  if (tensor.dtype != wanted)
    fail("its elements have code " + std::to_string(tensor.dtype.code) + " and " +
         std::to_string(tensor.dtype.bits * tensor.dtype.lanes) + " bits, and " + name_of(dtype) +
         " has code " + std::to_string(wanted.code) + " and " + std::to_string(wanted.bits) + " bits");
  std::string shape;
  bool same = tensor.ndim == S::rank;
  for (i32 axis = 0; axis < tensor.ndim; ++axis) {
    shape += (axis > 0 ? ", " : "") + std::to_string(tensor.shape[axis]);
    if constexpr (S::rank > 0) same = same && tensor.shape[axis] == S::value[axis < S::rank ? axis : 0];
  }
  if (!same) fail("its shape is (" + shape + "), and that asked for is " + to_text(S::value).c_str());
  i64 stride = 1;
  for (i32 axis = tensor.ndim - 1; axis >= 0 && tensor.strides != nullptr; --axis) {
    if (tensor.shape[axis] > 1 && tensor.strides[axis] != stride && S::size > 0)
      fail("its elements are not row-major without gaps: make it contiguous first");
    stride *= tensor.shape[axis];
  }
  const std::byte* const first = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  if (reinterpret_cast<std::uintptr_t>(first) % alignof(T) != 0) fail("its elements are not aligned");
  if (S::size > 0 && tensor.data == nullptr) fail("it has no elements");
  const Shared<exec::Storage> owner(new dlpack::ForeignStorage<Own>(managed));
  return TensorView<T, S, Device>(reinterpret_cast<T*>(owner->data()), owner);
}

}  // namespace WEFT_NAMESPACE
