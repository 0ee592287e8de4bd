// Allocation, copies and fills.
#include <cstring>
#include <memory>
#include <vector>

#include "softgpu/report.hpp"
#include "softgpu/runtime/runtime.hpp"

using namespace softgpu;

namespace {

u64 address_of(const void* pointer) { return reinterpret_cast<u64>(pointer); }

// One side of a copy.
struct Side {
  u64 address = 0;
  Region* region = nullptr;  // null for memory that the runtime did not give: pageable
  bool device() const { return region != nullptr && region->kind == Region::Kind::device; }
  bool pageable() const { return region == nullptr; }
};

// Whether all bytes of a range may be used by a call; says why not.
cudaError_t resolve(const void* pointer, u64 bytes, const char* call, Side& side) {
  side.address = address_of(pointer);
  side.region = memory().find(side.address);
  const auto wrong = [&](const char* kind) {
    report(
        kind, call,
        std::string(call) + " of " + std::to_string(bytes) + " bytes at " + memory().describe(side.address));
    return cudaErrorInvalidValue;
  };
  if (pointer == nullptr) return wrong("null pointer");
  if (side.region == nullptr)
    return memory().in_device_window(side.address) ? wrong("out of bounds") : cudaSuccess;
  if (side.region->freed) return wrong("freed memory");
  return side.region->holds(side.address, bytes) ? cudaSuccess : wrong("out of bounds");
}

cudaError_t check_kind(const Side& to, const Side& from, cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyDefault:
      return cudaSuccess;
    case cudaMemcpyHostToHost:
      return !to.device() && !from.device() ? cudaSuccess : cudaErrorInvalidValue;
    case cudaMemcpyHostToDevice:
      return to.device() && !from.device() ? cudaSuccess : cudaErrorInvalidValue;
    case cudaMemcpyDeviceToHost:
      return !to.device() && from.device() ? cudaSuccess : cudaErrorInvalidValue;
    case cudaMemcpyDeviceToDevice:
      return to.device() && from.device() ? cudaSuccess : cudaErrorInvalidValue;
  }
  return cudaErrorInvalidMemcpyDirection;
}

void copy(const Side& to, const Side& from, u64 bytes, const char* call) {
  if (from.device() && !to.device()) {
    const u64 known = Memory::written(*from.region, from.address, bytes);
    if (known < bytes)
      report("uninitialised read", call,
             std::string(call) + " to the host of " + std::to_string(bytes) +
                 " bytes: nobody has written at " + memory().describe(from.address + known));
  }
  Memory::copy(to.region, to.address, from.region, from.address, bytes);
}

// Puts a copy into a stream. What is in pageable memory is taken now; the caller may change it.
cudaError_t enqueue_copy(Stream& stream, const Side& to, const Side& from, u64 bytes, const char* call) {
  if (from.pageable() && stream.capture == nullptr) {
    const auto* const begin = reinterpret_cast<const std::byte*>(from.address);
    auto bytes_now = std::make_shared<std::vector<std::byte>>(begin, begin + bytes);
    return runtime().enqueue(
        stream,
        [=] {
          copy(to, {address_of(bytes_now->data()), nullptr}, bytes, call);
        },
        call);
  }
  return runtime().enqueue(
      stream, [=] { copy(to, from, bytes, call); }, call);
}

cudaError_t fill(Stream& stream, void* to, int value, u64 bytes, const char* call) {
  if (bytes == 0) return cudaSuccess;
  Side side;
  if (const cudaError_t e = resolve(to, bytes, call, side); e != cudaSuccess) return e;
  if (!side.device()) return cudaErrorInvalidValue;
  return runtime().enqueue(
      stream, [=] { Memory::fill(*side.region, side.address, bytes, value); }, call);
}

cudaError_t release(void* pointer, Region::Kind kind, const char* call) {
  if (pointer == nullptr) return cudaSuccess;
  Runtime& r = runtime();
  if (const cudaError_t e = r.forbid_unsafe_under_capture(call); e != cudaSuccess) return e;
  Region* const region = memory().find(address_of(pointer));
  if (region == nullptr || region->freed || region->begin != address_of(pointer) || region->kind != kind ||
      region->permanent) {
    report(region != nullptr && region->freed ? "freed memory" : "invalid handle", call,
           std::string(call) + " of " + memory().describe(address_of(pointer)));
    return cudaErrorInvalidValue;
  }
  if (kind == Region::Kind::device)
    r.complete_device(region->device);
  else
    for (int d = 0; d < Memory::devices; ++d) r.complete_device(d);
  memory().release(*region);
  return cudaSuccess;
}

cudaError_t allocate_pinned(void** pointer, size_t bytes, const char* call) {
  return api([&] {
    if (const cudaError_t e = runtime().forbid_unsafe_under_capture(call); e != cudaSuccess) return e;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (bytes > Memory::bytes_per_device) return cudaErrorMemoryAllocation;
    const Region* const region = memory().allocate_pinned(bytes);
    if (region == nullptr) return cudaErrorMemoryAllocation;
    *pointer = reinterpret_cast<void*>(region->begin);
    return cudaSuccess;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return api([&] {
    if (const cudaError_t e = runtime().forbid_unsafe_under_capture("cudaMalloc"); e != cudaSuccess) return e;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    Region* const region = memory().allocate(current_device(), bytes);
    if (region == nullptr) return cudaErrorMemoryAllocation;
    *pointer = reinterpret_cast<void*>(region->begin);
    return cudaSuccess;
  });
}
cudaError_t cudaFree(void* pointer) {
  return api([&] { return release(pointer, Region::Kind::device, "cudaFree"); });
}
cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return allocate_pinned(pointer, bytes, "cudaMallocHost");
}
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
  return allocate_pinned(pointer, bytes, "cudaHostAlloc");
}
cudaError_t cudaFreeHost(void* pointer) {
  return api([&] { return release(pointer, Region::Kind::pinned, "cudaFreeHost"); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t handle) {
  return api([&] {
    Runtime& r = runtime();
    Stream* const stream = r.stream(handle, "cudaMemcpyAsync");
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (bytes == 0) return cudaSuccess;
    Side target, source;
    cudaError_t e = resolve(to, bytes, "cudaMemcpyAsync", target);
    if (e == cudaSuccess) e = resolve(from, bytes, "cudaMemcpyAsync", source);
    if (e == cudaSuccess) e = check_kind(target, source, kind);
    if (e == cudaSuccess) e = enqueue_copy(*stream, target, source, bytes, "cudaMemcpyAsync");
    // into pageable memory the call waits
    if (e == cudaSuccess && target.pageable() && stream->capture == nullptr) r.complete(*stream);
    return e;
  });
}

// In the legacy stream. From pageable memory it returns when the bytes are taken, which may be before they
// have arrived; within a device it does not wait at all.
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return api([&] {
    Runtime& r = runtime();
    if (const cudaError_t e = r.forbid_unsafe_under_capture("cudaMemcpy"); e != cudaSuccess) return e;
    if (bytes == 0) return cudaSuccess;
    Side target, source;
    cudaError_t e = resolve(to, bytes, "cudaMemcpy", target);
    if (e == cudaSuccess) e = resolve(from, bytes, "cudaMemcpy", source);
    if (e == cudaSuccess) e = check_kind(target, source, kind);
    if (e != cudaSuccess) return e;
    Stream& stream = r.legacy[current_device()];
    e = enqueue_copy(stream, target, source, bytes, "cudaMemcpy");
    const bool returns_early = target.device() && (source.pageable() || source.device());
    if (e == cudaSuccess && !returns_early) r.complete(stream);
    return e;
  });
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t handle) {
  return api([&] {
    Stream* const stream = runtime().stream(handle, "cudaMemsetAsync");
    return stream == nullptr ? cudaErrorInvalidResourceHandle
                             : fill(*stream, to, value, bytes, "cudaMemsetAsync");
  });
}
// Asynchronous with respect to the host, where it fills device memory.
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return api([&] {
    if (const cudaError_t e = runtime().forbid_unsafe_under_capture("cudaMemset"); e != cudaSuccess) return e;
    return fill(runtime().legacy[current_device()], to, value, bytes, "cudaMemset");
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api([&] {
    *total = Memory::bytes_per_device;
    *free = Memory::bytes_per_device - memory().used(current_device());
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api([&] {
    *attributes = cudaPointerAttributes{};
    const Region* const region = memory().find(address_of(pointer));
    attributes->device = current_device();
    if (region == nullptr || region->freed) {
      if (memory().in_device_window(address_of(pointer)))
        report("out of bounds", "cudaPointerGetAttributes",
               "cudaPointerGetAttributes of " + memory().describe(address_of(pointer)));
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->hostPointer = const_cast<void*>(pointer);
      return cudaSuccess;
    }
    attributes->type = region->kind == Region::Kind::device ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
    attributes->device = region->device;
    attributes->devicePointer = const_cast<void*>(pointer);
    if (region->kind == Region::Kind::pinned) attributes->hostPointer = const_cast<void*>(pointer);
    return cudaSuccess;
  });
}

}  // extern "C"
