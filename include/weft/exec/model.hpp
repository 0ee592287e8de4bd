#pragma once
// Model<M, Device>: M's parameters and buffers as one block of memory, started by a compiled program from a
// seed.

#include <string>
#include <vector>

#include "weft/core/fixed_string.hpp"
#include "weft/exec/function.hpp"
#include "weft/exec/lerp.hpp"
#include "weft/exec/load.hpp"
#include "weft/exec/model_refusals.hpp"
#include "weft/exec/state_names.hpp"
#include "weft/exec/summary.hpp"
#include "weft/exec/whole_state.hpp"

namespace WEFT_NAMESPACE {

namespace exec {

WEFT_REFUSAL(GroupsAreOne,
             "tensor parallel layers: all of a model are of one group: give each the same "
             "comm::tensor_parallel<degree, Backend>");
WEFT_REFUSAL(
    PartsAreConnected,
    "tensor parallel layers: they run on Cpu{}, the ranks connected by comm::tensor_parallel<2, comm::Mpi>, "
    "with #include <weft/mpi.hpp>, or on GPUs by comm::tensor_parallel<2, comm::Nccl>, with #include "
    "<weft/nccl.hpp>");
// Whether M's group connects programs of this device.
template <class M, class Device>
constexpr bool group_runs_on() {
  if constexpr (!nn::state_table<M>.in_parts()) {
    return true;
  } else {
    using Group = nn::group_of<M>;
    if constexpr (requires { typename Group::backend::device_type; })
      return std::is_same_v<Device, typename Group::backend::device_type>;
    else
      return std::is_same_v<Device, Cpu>;
  }
}

// What connects the ranks that have M's parts; null where M is whole.
template <class M>
constexpr ConnectGroup connects_group() {
  if constexpr (nn::state_table<M>.in_parts()) {
    using Group = nn::group_of<M>;
    constexpr bool one = !std::is_same_v<Group, nn::SeveralGroups>;
    static_assert(sizeof(GroupsAreOne<one, M>) > 0);
    if constexpr (one) return [] { return Group::backend::connect_group(Group::degree); };
  }
  return nullptr;
}

template <class M, int I>
struct StateShape {
  static constexpr Dims value = nn::state_table<M>.row[I >= 0 ? I : 0].dims;
};

// Runs a program that sets a model's state, such as its starting values.
template <class Source, class Device>
void run_once(const Device& device, std::byte* state, u64 seed) {
  using M = typename Source::model;
  const StateBlock block{state, nn::state_table<M>.bytes};
  Shared<comm::Communicator> group;
  if constexpr (connects_group<M>() != nullptr) {
    group = connects_group<M>()();
    group->broadcast(&seed, sizeof seed);
  }
  typename ProgramOf<Device, code_of<Device, Source>>::type program(
      SilentDevice<Device>::of(device), {.model = {&block, 1}, .group = group.get()});
  program.set_random(seed, ~u64{0});
  program.run();
  program.wait();
}

}  // namespace exec

// The state of an M, an aggregate of parameters, buffers and layers, as one block of memory. Functions and
// trainers of a model share that block: they show what load() reads, and keep it alive.
template <class M, class Device = Cpu>
class Model : public exec::RefusedModelMembers<M> {
 public:
  using type = M;
  using device_type = Device;

  // Starts the parameters as their initialisers say, from a fresh seed.
  explicit Model(const Device& device = Device{}) : Model(device, fresh_seed(SeedUse::model)) {}
  // From `seed`, in state_bytes() of memory that the caller keeps alive, or (null) in the model's own.
  explicit Model(const Device& device, u64 seed, void* memory = nullptr)
      : state_(exec::allocate_or_tell(
            [&] { return exec::allocate(device, state_bytes(), memory); },
            [] {
              return "this is the model's state; the largest are " + exec::largest_state<M>() +
                     "; layers of bf16 take half of it, nn::Linear<8, 8, true, bf16>";
            })) {
    Memory::zero(device, state_->data(), state_bytes());
    initialize(seed);
  }
  // The same as the options of compile and make_trainer say it: seed{7}.
  explicit Model(const Device& device, const weft::seed& given, void* memory = nullptr)
      : Model(device, given.value, memory) {}
  explicit Model(const weft::seed& given) : Model(Device{}, given.value) {}
  // Shares the state of a model whose memory `device` can work in: Model<Net, Interpreter>
  // seen(Interpreter{}, model).
  template <class Other>
  requires std::is_same_v<exec::tensor_device<Other>, exec::tensor_device<Device>> Model(
      const Device& device, Model<M, Other>& model)
      : state_(new exec::DeviceStorage<Device>(device, state_bytes(), model.storage()->data(),
                                               model.storage())) {}
  // Of a trainer's model, or that of compile<M>(), the values move and the block stays: what is made of it is
  // another model with the same values, and what is assigned to it is copied into its block, as load(other).
  Model(Model&& other) noexcept
      : state_(other.in_program_ && other.state_ ? other.clone().state_ : std::move(other.state_)) {}
  // Any other model becomes the one assigned; what has been compiled of it keeps the block it had.
  Model& operator=(Model&& other) {
    if (this == &other) return *this;
    if (in_program_) {
      load(other);
      if (!other.in_program_) other.state_ = Shared<exec::DeviceStorage<Device>>();
    } else {
      state_ = Model(std::move(other)).state_;
    }
    return *this;
  }
  Model(const Model&) { static_assert(sizeof(ModelIsNotCopied<sizeof(M) == 0, M>) > 0); }
  // Refusals.
  template <class A, class... B>
  requires(std::is_arithmetic_v<A> || std::is_convertible_v<A, const char*> || std::is_same_v<A, M>)
      Model(const A&, const B&...) {
    static_assert(sizeof(ModelIsMade<sizeof(A) == 0, M, A, B...>) > 0);
  }
  template <class A>
  requires std::is_convertible_v<A, const char*> Model(const Device&, const A&) {
    static_assert(sizeof(ModelIsMade<sizeof(A) == 0, M, Device, A>) > 0);
  }
  template <class Out>
  requires requires(Out& out) { out << 1; }
  friend Out& operator<<(Out& out, const Model&) {
    static_assert(sizeof(ModelIsPrinted<sizeof(Out) == 0, M>) > 0);
    return out;
  }
#define WEFT_MEMBER(name)                                            \
  template <class None = M>                                          \
  void name() const {                                                \
    static_assert(sizeof(PathIsGiven<sizeof(None) == 0, None>) > 0); \
  }                                                                  \
  template <class Number>                                            \
  requires is_no_name<Number>                                        \
  void name(Number) const { static_assert(sizeof(PathIsGiven<sizeof(Number) == 0, M>) > 0); }
  WEFT_MEMBER(save)
  WEFT_MEMBER(load)
#undef WEFT_MEMBER
  template <class Self = Model>
  const Self* operator->() const {
    static_assert(sizeof(exec::ModelIsNoPointer<sizeof(Self) == 0, M>) > 0);
    return this;
  }
  template <class Self = Model>
  Self* operator->() {
    static_assert(sizeof(exec::ModelIsNoPointer<sizeof(Self) == 0, M>) > 0);
    return this;
  }
  AfterRefusal get(const std::string&) const {
    return detail::misspelt<exec::StateIsNamed<false, spelled::get, M>>();
  }
  Model& operator=(const Model&) {
    static_assert(sizeof(ModelIsNotCopied<sizeof(M) == 0, M>) > 0);
    return *this;
  }
  template <class... A>
  AfterRefusal operator()(const A&...) const {
    return detail::misspelt<exec::ModelIsCompiled<false, spelled::call, M>>();
  }
  template <class Name>
  auto operator[](const Name&) const {
    static_assert(sizeof(exec::StateIsNamed<sizeof(Name) == 0, spelled::get, M>) > 0);
    return AfterRefusal{};
  }
  AfterRefusal get(const char*) const {
    return detail::misspelt<exec::StateIsNamed<false, spelled::get, M>>();
  }

  // Another model with the same values.
  Model clone() const {
    std::vector<std::byte> host(static_cast<std::size_t>(state_bytes()));
    Memory::to_host(device(), host.data(), state(), state_bytes());
    return of_block(device(), host.data());
  }
  // A model whose block is copied from the host's memory: state_bytes(), as they lie at state().
  static Model of_block(const Device& device, const std::byte* block) {
    Model made(Uninitialized{}, device);
    Memory::from_host(device, made.state(), block, state_bytes());
    return made;
  }

  // Sets every parameter and buffer to its starting value.
  void initialize(u64 seed) {
    if constexpr (nn::state_table<M>.size > 0) exec::run_once<exec::InitSource<M>>(device(), state(), seed);
  }

  // Trained elements.
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

  template <class A>
  void save(const std::string&, const A&) const {
    static_assert(sizeof(exec::ModelSaves<sizeof(A) == 0, spelled::save>) > 0);
  }
  // Writes a safetensors file with PyTorch's names; all or nothing. Of a model in parts, as load, a call of
  // all ranks of a group: the file is the whole model's, and its first rank writes it.
  void save(const std::string& path) const {
    if (io::is_safetensors_index(path))
      throw Error("safetensors/bad-index",
                  "'" + path + "': a model is written as one file, and this is the name of an index of " +
                      "several: name it model.safetensors");
    std::vector<std::byte> host(static_cast<std::size_t>(state_bytes()));
    Memory::to_host(device(), host.data(), state(), state_bytes());
    const auto write = [&](const exec::StateForm& form) {
      io::write_safetensors(path, exec::state_tensors(form, host.data()), {{"format", "pt"}});
    };
    const exec::StateForm form = exec::state_form<M>();
    if constexpr (connects_group() == nullptr) {
      write(form);
    } else {
      const Shared<comm::Communicator> group = connects_group()();
      const exec::StateForm whole = exec::whole_form(form);
      host.resize(static_cast<std::size_t>(whole.bytes));
      exec::gather_parts(*group, form, whole, host.data());
      exec::first_of_group(*group, "save the model", [&] { write(whole); });
    }
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

  // Takes over the values of another model of an M, of whatever device, in place: programs that share this
  // one see them (load_state_dict(other.state_dict())).
  template <class Other>
  void load(const Model<M, Other>& other) {
    std::vector<std::byte> host(static_cast<std::size_t>(state_bytes()));
    exec::DeviceMemory<Other>::to_host(other.device(), host.data(), other.state(), state_bytes());
    Memory::from_host(device(), state(), host.data(), state_bytes());
  }
  // Moves the parameters towards those of another model on this device, in place: each p becomes p + weight
  // (q - p), in f32 or f64. What is not trained becomes the other's, as torch.optim.swa_utils has it.
  void lerp(const Model& other, f32 weight) {
    if constexpr (nn::state_table<M>.size > 0) exec::run_lerp<M>(device(), state(), other.state(), weight);
  }

  // Refusals.
  template <class... A>
  requires(!exec::is_lerp<Model, A...>) void lerp(const A&...) const {
    static_assert(sizeof(exec::LerpTakes<(sizeof...(A) > 99), M, A...>) > 0);
  }
  template <class D>
  requires exec::is_device<D> LoadReport load(const std::string&, const D&)
  const {
    detail::misspelt<exec::ModelHasDevice<sizeof(D) == 0, spelled::load, M, D>>();
    return {};
  }
  template <class N, class Other>
  requires(!std::is_same_v<N, M>) void load(const Model<N, Other>&) {
    static_assert(sizeof(exec::ModelsAreOne<sizeof(N) == 0, M, N>) > 0);
  }
  template <class B>
  requires std::is_same_v<B, bool> LoadReport load(const std::string&, B) {
    detail::misspelt<exec::LaxIsNamed<sizeof(B) == 0, M>>();
    return {};
  }
  // Less special than the one that takes options, and so chosen only where that does not fit.
  template <class Words = exec::LoadWords>
  requires std::is_same_v<Words, exec::LoadWords> LoadReport load(const std::string&, const Words&) {
    detail::misspelt<exec::LaxIsNamed<sizeof(Words) == 0, M>>();
    return {};
  }
  LoadReport load(const std::string&, const LoadOptions&) const {
    detail::misspelt<exec::LoadedIsConst<sizeof(M) == 0, M>>();
    return {};
  }
  LoadReport load(const std::string&, LoadMode = LoadMode::strict) const {
    detail::misspelt<exec::LoadedIsConst<sizeof(M) == 0, M>>();
    return {};
  }

  // Where the block lies.
  const Device& device() const { return storage()->device(); }
  // The block, as long as the model lives and is not moved from. Each of these throws "model/moved" where it
  // was.
  std::byte* state() { return storage()->data(); }
  const std::byte* state() const { return storage()->data(); }
  // With a share in its ownership.
  const Shared<exec::DeviceStorage<Device>>& storage() const {
    if (!state_) [[unlikely]]
      throw Error("model/moved", "a model was used that had been moved from, into a trainer perhaps");
    return state_;
  }
  // What connects the ranks that have parts of this model; null where it is whole.
  static constexpr exec::ConnectGroup connects_group() { return exec::connects_group<M>(); }
  // The same as what programs work on.
  exec::HeldStates<Device> states() const {
    static_assert(sizeof(exec::PartsAreConnected<exec::group_runs_on<M, Device>(), M, Device>) > 0);
    return {storage(), state_bytes(), exec::connects_group<M>()};
  }

 protected:
  // A part of an object whose programs work on it.
  struct InProgram {};
  Model(InProgram, Model&& other) noexcept : state_(std::move(other.state_)), in_program_(true) {}

 private:
  using Memory = exec::DeviceMemory<Device>;
  struct Uninitialized {};
  Model(Uninitialized, const Device& device) : state_(exec::allocate(device, state_bytes())) {}

  LoadReport load_with(const std::string& path, const LoadOptions& options, LoadMode mode) {
    const io::Safetensors file = io::open_safetensors(path);
    std::vector<std::byte> host(static_cast<std::size_t>(state_bytes()));
    Memory::to_host(device(), host.data(), state(), state_bytes());
    const exec::StateForm form = exec::state_form<M>();
    LoadReport report;
    if constexpr (connects_group() == nullptr) {
      report = exec::read_state(file, path, form, options, mode, host.data());
    } else {
      const Shared<comm::Communicator> group = connects_group()();
      const exec::StateForm whole = exec::whole_form(form);
      host.resize(static_cast<std::size_t>(whole.bytes));
      exec::gather_parts(*group, form, whole, host.data());  // what the file may lack stays
      report = exec::read_state(file, path, whole, options, mode, host.data());
      exec::take_parts(group->rank(), form, whole, host.data());
    }
    Memory::from_host(device(), state(), host.data(), state_bytes());
    return report;
  }

  template <FixedString Name, bool ReadOnly>
  auto view() const {
    constexpr nn::StatePlace place = nn::find_state<M>(Name.view());
    constexpr int i = place.row;
    static_assert(sizeof(exec::NamedState<(i >= 0), M, GivenName<Name>>) > 0);
    constexpr int row = i >= 0 ? i : 0;
    constexpr DType dtype = nn::state_table<M>.row[row].dtype;
    constexpr i64 offset =
        nn::state_table<M>.row[row].offset + place.copy * nn::state_table<M>.row[row].copy_bytes();
    using T = std::conditional_t<ReadOnly, const ctype<dtype>, ctype<dtype>>;
    return TensorView<T, shape_of<exec::StateShape<M, i>>, exec::tensor_device<Device>>(
        reinterpret_cast<T*>(storage()->data() + offset), storage());
  }

  Shared<exec::DeviceStorage<Device>> state_;
  bool in_program_ = false;
};

namespace exec {
// The model of a trainer or of compile<M>(), which moves with it alone.
template <class M, class Device>
class ProgramModel : public Model<M, Device> {
  using Base = Model<M, Device>;

 public:
  explicit ProgramModel(Base&& model) : Base(typename Base::InProgram{}, Base(std::move(model))) {}
  ProgramModel(const ProgramModel&) = default;  // a refusal
  ProgramModel(ProgramModel&& other) noexcept : Base(typename Base::InProgram{}, std::move(other)) {}
};
}  // namespace exec

// A value's type, which the constructor refuses with a sentence: a Model makes its own.
template <class M>
requires(std::is_aggregate_v<M>) Model(const M&)
->Model<M>;

template <class M, class Device>
inline constexpr bool is_model<Model<M, Device>> = true;
#if !defined(__CUDACC__)
// Model<Net, Cuda> without nvcc.
template <class M>
class Model<M, Cuda> : public AfterRefusal {
  static_assert(sizeof(CudaNeedsNvcc<sizeof(M*) == 0, M>) > 0);

 public:
  using AfterRefusal::AfterRefusal;
  Cpu device() const { return {}; }
  exec::HeldStates<Cpu> states() const { return {}; }
};
#endif

// Refused: torch.save(model, path). Both arguments need a conversion, so that a user's own save or load of
// whatever signature is the better candidate.
template <class Refused = void>
void save(exec::AnyModel, exec::AnyArgument) {
  static_assert(sizeof(exec::ModelSaves<sizeof(Refused*) == 0, spelled::save>) > 0);
}
// auto model = load(path); of no type, so that a user's load<Net>(path) is the only one.
template <std::nullptr_t Refused = nullptr>
AfterRefusal load(exec::AnyArgument) {
  return detail::misspelt<exec::ModelSaves<(Refused != nullptr), spelled::load>>();
}
template <class Refused = void>
void load(exec::AnyModel, exec::AnyArgument) {
  static_assert(sizeof(exec::ModelSaves<sizeof(Refused*) == 0, spelled::load>) > 0);
}

// get<"fc1.weight">(model): as the member, without `template` in generic code.
template <FixedString Name, class M, class Device>
auto get(Model<M, Device>& model) {
  return model.template get<Name>();
}
template <FixedString Name, class M, class Device>
auto get(const Model<M, Device>& model) {
  return model.template get<Name>();
}

// compile(model, [](const auto& m, auto x) { return m(x); }, in<f32, 1, 64>): a function of a model, whose
// state it shares, traced in evaluation mode unless mode::train is among the options after the inputs
// (exec/options.hpp). Of a const model it may assign no buffer.
template <class M, class Device, class F, class... A>
auto compile(const Model<M, Device>& model, F, const A&... inputs_then_options) {
  auto f = exec::compile_with<M, F>(model.device(), model.states(), inputs_then_options...);
  if constexpr (!std::is_same_v<decltype(f), AfterRefusal>)
    static_assert(sizeof(ConstModelIsRead<decltype(f)::assigned() == 0, M>) > 0);
  return f;
}
template <class M, class Device, class F, class... A>
auto compile(Model<M, Device>& model, F, const A&... inputs_then_options) {
  return exec::compile_with<M, F>(model.device(), model.states(), inputs_then_options...);
}
template <class M, class Device, class F, class... A>
auto compile(Model<M, Device>&& model, F, const A&... inputs_then_options) {
  return exec::compile_with<M, F>(model.device(), model.states(), inputs_then_options...);
}

// What compile<M>() returns: a function with the model it is of.
template <class M, class Device, class Function>
class ModelFunction : public Function {
 public:
  template <class... A>
  explicit ModelFunction(Model<M, Device>&& model, const A&... arguments)
      : Function(model.device(), model.states(), arguments...), model_(std::move(model)) {}
  ModelFunction(const ModelFunction&) = default;  // a refusal
  ModelFunction& operator=(const ModelFunction& other) {
    Function::operator=(other);
    return *this;
  }
  ModelFunction(ModelFunction&&) noexcept = default;
  ModelFunction& operator=(ModelFunction&& other) noexcept {
    if (this != &other) {
      this->~ModelFunction();  // an assignment would copy the model's values
      new (this) ModelFunction(std::move(other));
    }
    return *this;
  }
  Model<M, Device>& model() { return model_; }
  const Model<M, Device>& model() const { return model_; }

 private:
  exec::ProgramModel<M, Device> model_;
};

// compile<Net>(Cpu{}, [](const auto& m, auto x) { return m(x); }, in<f32, 1, 64>): the same with a model of
// its own, started from seed{} as make_trainer's is; f.model().load(path) gives it other values.
template <class M, class Device, class F, class... A>
requires exec::is_device<Device>
auto compile(const Device& device, F, const A&... inputs_then_options) {
  using Function = decltype(exec::compile_with<M, F>(device, std::declval<exec::HeldStates<Device>>(),
                                                     inputs_then_options...));
  if constexpr (!std::is_void_v<Function>)
    return ModelFunction<M, Device, Function>(
        Model<M, Device>(device, exec::given_or_fresh_seed(SeedUse::model, inputs_then_options...)),
        inputs_then_options...);
}

// Refused: compile<Net>(f, in<...>...).
template <class M, class F, class... A>
requires(std::is_aggregate_v<M> && !exec::is_device<M> && !exec::is_device<F> && !is_model<F>) AfterRefusal
    compile(F, const A&...) {
  static_assert(sizeof(DeviceIsFirst<sizeof(F) == 0, M, F>) > 0);
  return {};
}

}  // namespace WEFT_NAMESPACE
