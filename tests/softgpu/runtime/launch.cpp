// Modules, kernels and launches.
#include <cstring>
#include <limits>

#include "softgpu/device_model.hpp"
#include "softgpu/launch_records.hpp"
#include "softgpu/report.hpp"
#include "softgpu/runtime/runtime.hpp"

using namespace softgpu;

namespace {

struct Configuration {
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
};
thread_local Configuration configuration;

// The limits of a launch, as the hardware has them.
cudaError_t check_limits(const Kernel& kernel, const Function& function, dim3 grid, dim3 block, u64 dynamic) {
  using M = DeviceModel;
  const u64 threads = u64{block.x} * block.y * block.z;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || threads == 0) return cudaErrorInvalidConfiguration;
  if (grid.x > M::grid_x || grid.y > M::grid_y || grid.z > M::grid_z) return cudaErrorInvalidConfiguration;
  if (block.x > M::block_x || block.y > M::block_y || block.z > M::block_z || threads > M::threads_per_block)
    return cudaErrorInvalidConfiguration;
  if (kernel.max_threads > 0 && threads > static_cast<u64>(kernel.max_threads))
    return cudaErrorInvalidConfiguration;
  if (u64{kernel.machine_registers} * round_up<u64>(threads, warp_size) > M::registers_per_block)
    return cudaErrorLaunchOutOfResources;
  const u64 most = std::max(M::shared_per_block, function.max_dynamic_shared + kernel.static_shared);
  return kernel.static_shared + dynamic > most ? cudaErrorInvalidValue : cudaSuccess;
}

// What launch_records.hpp offers.
bool recording = false;
std::vector<LaunchRecord>& records() {
  static auto* const all = new std::vector<LaunchRecord>;
  return *all;
}
LaunchRecord record_of(const Launch& launch) {
  const Kernel& kernel = *launch.kernel;
  const Counts& c = launch.counts;
  LaunchRecord r{};
  r.name = kernel.name.c_str();
  r.grid = launch.grid.count();
  r.threads = launch.threads.count();
  r.blocks_run = launch.blocks_run;
  r.registers = kernel.machine_registers;
  r.static_shared = kernel.static_shared;
  r.dynamic_shared = launch.dynamic_shared;
  r.local_bytes = kernel.machine_local;
  r.blocks_a_multiprocessor = blocks_per_multiprocessor(kernel, r.threads, r.dynamic_shared);
  static_assert(LaunchRecord::classes == class_count);
  std::copy(std::begin(c.instructions), std::end(c.instructions), r.instructions);
  r.lanes = c.lanes;
  r.barriers = c.barriers;
  r.sectors_loaded = c.sectors_loaded;
  r.distinct_loaded = c.distinct_loaded;
  r.sectors_stored = c.sectors_stored;
  r.distinct_stored = c.distinct_stored;
  r.shared_accesses = c.shared_accesses;
  r.bank_conflicts = c.bank_conflicts;
  r.most_in_flight = c.most_in_flight;
  return r;
}
void start_recording() {
  const std::lock_guard lock(runtime().mutex);
  records().clear();
  recording = counting() = true;
}
const LaunchRecord* stop_recording(std::size_t* count) {
  const std::lock_guard lock(runtime().mutex);
  recording = false;
  counting() = settings().count;
  *count = records().size();
  return records().data();
}

void run_launch(Launch launch) {
  Runtime& r = runtime();
  const u64 blocks = launch.grid.count();
  if (blocks > std::numeric_limits<Tag>::max() - r.next_tag) stop("more blocks than can be told apart");
  launch.first_tag = r.next_tag;
  r.next_tag += static_cast<Tag>(blocks);
  if (counting()) {
    loaded_sectors().start_launch();
    stored_sectors().start_launch();
  }
  run_grid(launch, r.random);
  if (!counting()) return;
  auto& [launches, sum] = r.counts[launch.kernel->name];
  ++launches;
  sum.add(launch.counts);
  if (recording) records().push_back(record_of(launch));
}

cudaError_t launch(Function& function, dim3 grid, dim3 block, void** args, size_t shared,
                   cudaStream_t handle) {
  return api([&] {
    Runtime& r = runtime();
    Stream* const stream = r.stream(handle, "kernel launch");
    if (stream == nullptr || stream->device != current_device()) return cudaErrorInvalidResourceHandle;
    const Kernel* const kernel = r.kernel(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (const cudaError_t e = check_limits(*kernel, function, grid, block, shared); e != cudaSuccess)
      return e;
    Launch now;
    now.kernel = kernel;
    now.grid = {grid.x, grid.y, grid.z};
    now.threads = {block.x, block.y, block.z};
    now.dynamic_shared = shared;
    now.device = stream->device;
    now.params.resize(kernel->parameter_bytes);
    for (std::size_t k = 0; k < kernel->parameters.size(); ++k)
      std::memcpy(now.params.data() + kernel->parameters[k].offset, args[k], kernel->parameters[k].size);
    return r.enqueue(
        *stream, [now] { run_launch(now); }, "kernel launch");
  });
}

Function* function_of(const void* stub) {
  const std::lock_guard lock(runtime().mutex);
  const auto at = runtime().functions.find(stub);
  return at == runtime().functions.end() ? nullptr : at->second.get();
}

}  // namespace

extern "C" {

const LaunchRecords* softgpu_launch_records() {
  static constexpr LaunchRecords functions{&start_recording, &stop_recording, class_names};
  return &functions;
}

void** __cudaRegisterFatBinary(void* wrapper) {
  const std::lock_guard lock(runtime().mutex);
  auto unit = std::make_unique<softgpu::Module>();
  unit->wrapper = wrapper;
  runtime().modules.push_back(std::move(unit));
  return reinterpret_cast<void**>(runtime().modules.back().get());
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 0; }

void __cudaRegisterFunction(void** module, const char* stub, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  const std::lock_guard lock(runtime().mutex);
  auto function = std::make_unique<Function>();
  function->module = reinterpret_cast<softgpu::Module*>(module);
  function->name = name;
  runtime().functions[stub] = std::move(function);
}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream_st* stream) {
  configuration = {grid, block, shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  std::memcpy(stream, &configuration.stream, sizeof configuration.stream);
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  *kernel = reinterpret_cast<cudaKernel_t>(function_of(stub));
  return *kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** args, size_t shared,
                               cudaStream_t stream) {
  return launch(*reinterpret_cast<Function*>(kernel), grid, block, args, shared, stream);
}
cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** args, size_t shared,
                             cudaStream_t stream) {
  Function* const function = function_of(stub);
  if (function == nullptr) return last_error() = cudaErrorInvalidDeviceFunction;
  return launch(*function, grid, block, args, shared, stream);
}

// Of the attributes those that ask for nothing this device lacks: it orders dependent launches as plain ones.
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* stub, void** args) {
  Function* const function = function_of(stub);
  if (function == nullptr) return last_error() = cudaErrorInvalidDeviceFunction;
  for (unsigned k = 0; k < config->numAttrs; ++k) {
    const cudaLaunchAttribute& a = config->attrs[k];
    const auto& cluster = a.val.clusterDim;
    const bool known =
        a.id == cudaLaunchAttributeIgnore || a.id == cudaLaunchAttributePriority ||
        a.id == cudaLaunchAttributeProgrammaticStreamSerialization ||
        (a.id == cudaLaunchAttributeClusterDimension && cluster.x * cluster.y * cluster.z == 1);
    if (!known) stop("a launch attribute that is not known: " + std::to_string(static_cast<int>(a.id)));
  }
  return launch(*function, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, config->stream);
}

cudaError_t cudaFuncSetAttribute(const void* stub, cudaFuncAttribute which, int value) {
  return api([&] {
    Function* const function = function_of(stub);
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    if (which == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
    const Kernel* const kernel = runtime().kernel(*function);
    if (which != cudaFuncAttributeMaxDynamicSharedMemorySize || kernel == nullptr || value < 0 ||
        static_cast<u64>(value) + kernel->static_shared > DeviceModel::shared_per_block_opt_in)
      return cudaErrorInvalidValue;
    function->max_dynamic_shared = static_cast<u64>(value);
    return cudaSuccess;
  });
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* stub) {
  return api([&] {
    Function* const function = function_of(stub);
    const Kernel* const kernel = function == nullptr ? nullptr : runtime().kernel(*function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    *attributes = cudaFuncAttributes{};
    attributes->sharedSizeBytes = kernel->static_shared;
    attributes->numRegs = static_cast<int>(kernel->machine_registers);
    attributes->localSizeBytes = kernel->machine_local;
    attributes->maxThreadsPerBlock =
        kernel->max_threads > 0 ? kernel->max_threads : static_cast<int>(DeviceModel::threads_per_block);
    attributes->maxDynamicSharedSizeBytes =
        static_cast<int>(DeviceModel::shared_per_block - kernel->static_shared);
    attributes->binaryVersion = 10 * DeviceModel::major + DeviceModel::minor;
    attributes->ptxVersion = 80;
    return cudaSuccess;
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* stub, int threads,
                                                                   size_t dynamic, unsigned) {
  return api([&] {
    Function* const function = function_of(stub);
    const Kernel* const kernel = function == nullptr ? nullptr : runtime().kernel(*function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (threads < 1) return cudaErrorInvalidValue;
    *blocks = static_cast<int>(blocks_per_multiprocessor(*kernel, static_cast<u64>(threads), dynamic));
    return cudaSuccess;
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* stub, int threads,
                                                          size_t dynamic) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, stub, threads, dynamic, 0);
}

}  // extern "C"
