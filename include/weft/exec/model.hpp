#pragma once
// Model<M, Device>: M's parameters and buffers as one block of memory, started by a compiled program from a
// seed.

#include <string>
#include <vector>

#include "weft/core/fixed_string.hpp"
#include "weft/exec/function.hpp"
#include "weft/exec/load.hpp"
#include "weft/exec/summary.hpp"

namespace weft {

namespace exec {

// The row of a name in M's state table, -1 where there is none.
template <class M>
constexpr int find_state(std::string_view name) {
  constexpr const auto& table = nn::state_table<M>;
  for (int i = 0; i < table.size; ++i)
    if (table.row[i].name.view() == name) return i;
  constexpr const auto& aliases = nn::alias_table<M>;
  for (int i = 0; i < aliases.size; ++i)
    if (aliases.row[i].name.view() == name) return aliases.row[i].row;
  return -1;
}

template <bool Ok, class M, FixedString Name>
struct NamedState {
  static_assert(Ok, "the model has no parameter or buffer of this name");
};

template <class M, int I>
struct StateShape {
  static constexpr Dims value = nn::state_table<M>.row[I >= 0 ? I : 0].dims;
};

// Memory of a device, and its copies to and from the host.
template <class Device>
struct DeviceMemory;
template <>
struct DeviceMemory<Cpu> {
  using Buffer = HostBuffer;
  static Buffer allocate(const Cpu&, i64 bytes) { return Buffer(static_cast<std::size_t>(bytes)); }
  static void zero(Buffer& b) {
    if (b.size() > 0) std::memset(b.data(), 0, b.size());
  }
  static void to_host(const Cpu&, void* to, const std::byte* from, i64 bytes) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
  static void from_host(const Cpu&, std::byte* to, const void* from, i64 bytes) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
};

// A block of memory that the caller lends, or, where that is null, one of its own.
template <class Device>
typename DeviceMemory<Device>::Buffer lent_or_own(const Device& device, void* lent, i64 bytes) {
  using Memory = DeviceMemory<Device>;
  return lent ? Memory::Buffer::borrow(lent, static_cast<std::size_t>(bytes))
              : Memory::allocate(device, bytes);
}

}  // namespace exec

template <class M, class Device = Cpu>
class Model {
 public:
  using type = M;
  using device_type = Device;

  // Starts the parameters from `seed` as their initialisers say. `memory`: state_bytes() of the device's
  // memory that the caller keeps alive, or null for the model's own.
  explicit Model(const Device& device = Device{}, u64 seed = 0, void* memory = nullptr)
      : device_(device), state_(exec::lent_or_own(device, memory, state_bytes())) {
    Memory::zero(state_);
    initialize(seed);
  }

  // Sets every parameter and buffer to its starting value.
  void initialize(u64 seed) {
    using Program = typename exec::ProgramOf<Device, exec::Compiled<exec::InitSource<M>>>::type;
    if constexpr (nn::state_table<M>.size > 0) {
      Program program(device_, {.model = state_.data()});
      program.set_random(seed, ~u64{0});
      program.run();
      program.wait();
    }
  }

  static constexpr i64 parameter_count() { return nn::parameter_count<M>(); }
  // Bytes of the block that holds parameters and buffers.
  static constexpr i64 state_bytes() { return nn::state_table<M>.bytes; }
  // A table of all parameters and buffers.
  static std::string summary() { return weft::summary<M>(); }

  // A parameter or buffer by its dotted name, checked while compiling; of a const model to read.
  template <FixedString Name>
  auto get() {
    return view<Name, false>();
  }
  template <FixedString Name>
  auto get() const {
    return view<Name, true>();
  }

  // Writes a safetensors file with PyTorch's names; all or nothing.
  void save(const std::string& path) const {
    std::vector<std::byte> host(static_cast<std::size_t>(state_bytes()));
    Memory::to_host(device_, host.data(), state_.data(), state_bytes());
    io::write_safetensors(path, exec::state_tensors(exec::state_form<M>(), host.data()), {{"format", "pt"}});
  }

  // Reads a safetensors file. Throws "model/mismatch" and changes nothing unless names, shapes and dtypes all
  // agree, or the options allow what differs; the message names both sides.
  LoadReport load(const std::string& path, const LoadOptions& options) {
    return load_with(path, options, LoadMode::strict);
  }
  // The same by the plainest rules, or, with LoadMode::lax, takes what fits and reports the rest.
  LoadReport load(const std::string& path, LoadMode mode = LoadMode::strict) {
    return load_with(path, {}, mode);
  }

  const Device& device() const { return device_; }
  std::byte* state() { return state_.data(); }
  const std::byte* state() const { return state_.data(); }

 private:
  using Memory = exec::DeviceMemory<Device>;

  LoadReport load_with(const std::string& path, const LoadOptions& options, LoadMode mode) {
    const io::Safetensors file(path);
    std::vector<std::byte> host(static_cast<std::size_t>(state_bytes()));
    Memory::to_host(device_, host.data(), state_.data(), state_bytes());
    LoadReport report = exec::read_state(file, path, exec::state_form<M>(), options, mode, host.data());
    Memory::from_host(device_, state_.data(), host.data(), state_bytes());
    return report;
  }

  template <FixedString Name, bool ReadOnly>
  auto view() const {
    constexpr int i = exec::find_state<M>(Name.view());
    static_assert(sizeof(exec::NamedState<(i >= 0), M, Name>) > 0);
    constexpr int row = i >= 0 ? i : 0;
    constexpr DType dtype = nn::state_table<M>.row[row].dtype;
    constexpr i64 offset = nn::state_table<M>.row[row].offset;
    using T = std::conditional_t<ReadOnly, const ctype<dtype>, ctype<dtype>>;
    return TensorView<T, shape_of<exec::StateShape<M, i>>, Device>(
        reinterpret_cast<T*>(state_.data() + offset));
  }

  Device device_;
  typename Memory::Buffer state_;
};

// get<"fc1.weight">(model): as the member, without `template` in generic code.
template <FixedString Name, class M, class Device>
auto get(Model<M, Device>& model) {
  return model.template get<Name>();
}
template <FixedString Name, class M, class Device>
auto get(const Model<M, Device>& model) {
  return model.template get<Name>();
}

// compile(model, [](const auto& m, auto x) { return m(x); }, in<f32, 1, 64>): a function of a model that it
// borrows, traced in evaluation mode unless mode::train is among the options after the inputs
// (exec/options.hpp). The model must outlive it.
template <class M, class Device, class F, class... A>
auto compile(Model<M, Device>& model, F, const A&... inputs_then_options) {
  return exec::compile_with<M, F>(model.device(), model.state(), inputs_then_options...);
}

// What compile<M>() returns: a function with the model it is of.
template <class M, class Device, class Function>
class ModelFunction : public Function {
 public:
  template <class... A>
  explicit ModelFunction(Model<M, Device>&& model, const A&... arguments)
      : Function(model.device(), model.state(), arguments...), model_(std::move(model)) {}
  Model<M, Device>& model() { return model_; }
  const Model<M, Device>& model() const { return model_; }

 private:
  Model<M, Device> model_;
};

// compile<Net>(Cpu{}, [](const auto& m, auto x) { return m(x); }, in<f32, 1, 64>): the same with a model of
// its own, started from seed{} as make_trainer's is; f.model().load(path) gives it other values.
template <class M, class Device, class F, class... A>
requires exec::is_device<Device>
auto compile(const Device& device, F, const A&... inputs_then_options) {
  using Function =
      decltype(exec::compile_with<M, F>(device, std::declval<std::byte*>(), inputs_then_options...));
  if constexpr (!std::is_void_v<Function>)
    return ModelFunction<M, Device, Function>(
        Model<M, Device>(device, get_option<seed>(inputs_then_options...).value), inputs_then_options...);
}

}  // namespace weft
