// Devices, their attributes, and errors.
#include <cstring>

#include "softgpu/device_model.hpp"
#include "softgpu/report.hpp"
#include "softgpu/runtime/runtime.hpp"

using namespace softgpu;

namespace {

bool is_device(int device) { return device >= 0 && device < Memory::devices; }

int attribute(cudaDeviceAttr which) {
  using M = DeviceModel;
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock:
      return M::threads_per_block;
    case cudaDevAttrMaxBlockDimX:
      return M::block_x;
    case cudaDevAttrMaxBlockDimY:
      return M::block_y;
    case cudaDevAttrMaxBlockDimZ:
      return M::block_z;
    case cudaDevAttrMaxGridDimX:
      return M::grid_x;
    case cudaDevAttrMaxGridDimY:
      return M::grid_y;
    case cudaDevAttrMaxGridDimZ:
      return M::grid_z;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return M::shared_per_block;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return M::shared_per_block_opt_in;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return M::shared_per_multiprocessor;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return M::shared_reserved_per_block;
    case cudaDevAttrWarpSize:
      return warp_size;
    case cudaDevAttrMaxRegistersPerBlock:
      return M::registers_per_block;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return M::registers_per_multiprocessor;
    case cudaDevAttrMultiProcessorCount:
      return M::multiprocessors;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return M::threads_per_multiprocessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return M::blocks_per_multiprocessor;
    case cudaDevAttrComputeCapabilityMajor:
      return M::major;
    case cudaDevAttrComputeCapabilityMinor:
      return M::minor;
    case cudaDevAttrUnifiedAddressing:
      return 1;
    case cudaDevAttrCanMapHostMemory:
      return 1;
    case cudaDevAttrConcurrentKernels:
      return 1;
    case cudaDevAttrAsyncEngineCount:
      return 2;
    default:
      return -1;
  }
}

struct ErrorText {
  cudaError_t error;
  const char *name, *text;
};
constexpr ErrorText errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
     "capture was not initiated in this stream"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {cudaErrorStreamCaptureWrongThread, "cudaErrorStreamCaptureWrongThread",
     "attempt to terminate a thread-local capture sequence from another thread"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
};
const ErrorText* text_of(cudaError_t error) {
  for (const ErrorText& e : errors)
    if (e.error == error) return &e;
  return nullptr;
}

__attribute__((destructor)) void at_end_of_process() {
  runtime().finish();
  finish_reports();
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = Memory::devices;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device();
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return api([&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    current_device() = device;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return api([&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    const int found = attribute(which);
    if (found < 0) return cudaErrorNotSupported;
    *value = found;
    return cudaSuccess;
  });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return api([&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    using M = DeviceModel;
    *properties = cudaDeviceProp{};
    std::strcpy(properties->name, "weft's software device (no GPU)");
    properties->totalGlobalMem = Memory::bytes_per_device;
    properties->sharedMemPerBlock = M::shared_per_block;
    properties->sharedMemPerBlockOptin = M::shared_per_block_opt_in;
    properties->sharedMemPerMultiprocessor = M::shared_per_multiprocessor;
    properties->regsPerBlock = M::registers_per_block;
    properties->warpSize = warp_size;
    properties->maxThreadsPerBlock = M::threads_per_block;
    properties->maxThreadsPerMultiProcessor = M::threads_per_multiprocessor;
    properties->multiProcessorCount = M::multiprocessors;
    properties->major = M::major;
    properties->minor = M::minor;
    properties->unifiedAddressing = 1;
    return cudaSuccess;
  });
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetLastError() {
  const std::lock_guard lock(runtime().mutex);
  const cudaError_t error = last_error();
  last_error() = runtime().sticky;  // what the device cannot recover from stays
  return error;
}
cudaError_t cudaPeekAtLastError() { return last_error(); }
const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* const found = text_of(error);
  return found != nullptr ? found->name : "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* const found = text_of(error);
  return found != nullptr ? found->text : "unrecognized error code";
}

cudaError_t cudaDeviceSynchronize() {
  return api([&] {
    Runtime& r = runtime();
    const int device = current_device();
    for (Stream* s : r.streams)
      if (s->device == device)
        if (const cudaError_t e = r.forbid_under_capture(s, "cudaDeviceSynchronize"); e != cudaSuccess)
          return e;
    if (const cudaError_t e = r.forbid_unsafe_under_capture("cudaDeviceSynchronize"); e != cudaSuccess)
      return e;
    if (const cudaError_t e = r.forbid_legacy_under_capture(device, "cudaDeviceSynchronize");
        e != cudaSuccess)
      return e;
    r.complete_device(device);
    return cudaSuccess;
  });
}

}  // extern "C"
