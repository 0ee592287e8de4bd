#pragma once
// Trainer: a model, the state of its optimiser, and the compiled step. One trainer per thread; distinct ones
// are independent.

#include <string>
#include <vector>

#include "weft/exec/model.hpp"
#include "weft/exec/state_names.hpp"
#include "weft/train/budget.hpp"
#include "weft/train/evaluate.hpp"
#include "weft/train/f8_checkpoint.hpp"
#include "weft/train/loss_ring.hpp"
#include "weft/train/padding.hpp"
#include "weft/train/ranks.hpp"
#include "weft/train/state_copies.hpp"
#include "weft/train/trainer_refusals.hpp"

namespace WEFT_NAMESPACE {

template <class M, class F, class Device, class O, class... I>
class Trainer : public train::Checkpointed<Trainer<M, F, Device, O, I...>>,
                public train::Evaluated<Trainer<M, F, Device, O, I...>, F, I...>,
                public train::RefusedMembers<M> {
  template <bool Apply>
  using Source = train::compiled_step<M, F, O, Apply, I...>;
  template <bool Apply>
  using Code = exec::code_of<Device, Source<Apply>>;
  template <bool Apply>
  using Instance = exec::Instance<Device, Code<Apply>>;
  template <bool Apply>
  using Program = typename Instance<Apply>::Program;
  using Inputs = exec::InputTable<train::ForwardGraph<M, F, O, I...>, I...>;
  using Optimizer = typename O::Optimizer;
  using Scalars = train::ScalarLayout<O>;
  using Memory = exec::DeviceMemory<Device>;
  static constexpr int micro = O::Accumulation::count;
  static constexpr train::OptimizerLayout layout = train::optimizer_layout<M, O>;
  static constexpr bool is_f8 = precision::is_f8<typename O::Precision>;
  static constexpr bool in_parts = nn::state_table<M>.in_parts();
  using WholeModel = weft::Model<M, Device>;
  // Of a model that no rank has the whole of, a copy.
  using ModelReference = std::conditional_t<O::shards_parameters, const WholeModel, WholeModel&>;
  using ConstModelReference = std::conditional_t<O::shards_parameters, const WholeModel, const WholeModel&>;

 public:
  using InputTypes = std::tuple<I...>;

  template <class... Given>
  explicit Trainer(weft::Model<M, Device>&& model, const Given&... given)
      : model_(std::move(model)),
        seed_(exec::given_or_fresh_seed(SeedUse::model, given...)),
        optimizer_(optim::AsGroups<typename O::given_optimizer>::make(
            get_option<typename O::given_optimizer>(given...))),
        clip_(get_option<typename O::Clip>(given...)),
        losses_(new train::DeviceLossRing<Device>(model_.device())) {
    optimizer_.check();
    if constexpr (O::distributed || in_parts) join_ranks();
    if constexpr (O::shards_parameters) model_.cut(ranks_.rank(), ranks_.size());
    if constexpr (requires { clip_.most; })
      if (!(clip_.most >= 0)) throw Error("train/clip", "the bound to clip by must be 0 or more");
    const lend lent = get_option<lend>(given...);
    const Device& device = model_.device();
    state_ = exec::allocate_or_tell(
        [&] { return exec::allocate(device, optimizer_bytes(ranks_.size()), lent.optimizer); },
        [] { return train::optimizer_text(nn::state_table<M>.trained_bytes); });
    Memory::zero(device, state_->data(), optimizer_bytes(ranks_.size()));
    const f32 scale = train::LossScale::first;
    Memory::from_host(device, state_->data() + layout.scale, &scale, sizeof scale);
    if constexpr (is_f8)
      train::start_f8_scales<train::RoundedTrace<M, F, O, I...>>(device, state_->data(), shards().optimizer);
    if constexpr (micro > 1 && requires { Memory::require(Code<true>::header.workspace_bytes); })
      if (lent.workspace == nullptr)  // both programs' at once: nothing has touched the first one's yet
        exec::allocate_or_tell([] { return Memory::require(memory_bytes()), true; },
                               [] { return exec::workspace_text(Code<true>::header); });
    apply_ = Shared<Instance<true>>(
        new Instance<true>(device, model_.states(), state_, lent.workspace, ranks_.communicator(), shards()));
    if constexpr (micro > 1) {
      auto* const workspace = static_cast<std::byte*>(lent.workspace);
      add_ = Shared<Instance<false>>(new Instance<false>(
          device, model_.states(), state_, workspace != nullptr ? workspace + apply_bytes() : nullptr,
          ranks_.communicator(), shards()));
    }
  }
  // A refusal.
  Trainer(const Trainer& other) : Trainer(std::move(const_cast<Trainer&>(other))) {
    static_assert(sizeof(train::TrainerIsMoved<sizeof(Device) == 0, M>) > 0);
  }
  Trainer& operator=(const Trainer&) {
    static_assert(sizeof(train::TrainerIsMoved<sizeof(Device) == 0, M>) > 0);
    return *this;
  }
  Trainer(Trainer&&) noexcept = default;
  Trainer& operator=(Trainer&& other) noexcept {
    if (this != &other) {
      this->~Trainer();  // programs before what they write to
      new (this) Trainer(std::move(other));
    }
    return *this;
  }

  // One training step on a batch; `accumulate<N>` updates at every N-th. A loader's batch with padded rows is
  // refused ("train/padding") where they would count: at the first batch of an epoch that will have one.
  template <class... A>
  StepLoss step(const A&... batch) {
    constexpr bool fits = sizeof...(A) == sizeof...(I);
    static_assert(sizeof(exec::ArgumentCount<fits, GivenSize<sizeof...(A)>, WantedSize<sizeof...(I)>>) > 0);
    if constexpr (fits)
      return step_checked<(exec::Padded<A> || ... || false)>(exec::given_arguments<Device, I...>(batch...));
    else
      return StepLoss(0);
  }
  // The same with arguments that are checked, in host memory: what AnyTrainer makes.
  StepLoss step_given(const std::array<exec::Given, sizeof...(I)>& batch) {
    return step_checked<true>(batch);
  }

  // Refusals.
  template <class... A>
  StepLoss step(const A&...) const {
    detail::misspelt<exec::CallChanges<false, Trainer>>();
    return StepLoss(0);
  }
  template <class... A>
  AfterRefusal operator()(const A&...) {
    return detail::misspelt<train::StepIsWhole<false, spelled::call, M>>();
  }

  template <class Out>
  requires requires(Out& out) { out << 1; }
  friend Out& operator<<(Out& out, const Trainer&) {
    static_assert(sizeof(ModelIsPrinted<sizeof(Out) == 0, M>) > 0);
    return out;
  }
  // step({x, y}), step({1, 2}, y)
  template <class Given>
  StepLoss step(std::initializer_list<Given>, const auto&... more) {
    static_assert(sizeof(train::StepIsUnbraced < std::is_arithmetic_v<Given> || (sizeof...(more) > 0) ||
                             sizeof(Given) == 0,
                         I... >) > 0);
    static_assert(sizeof(exec::ArgumentIsTyped<sizeof(Given) == 0, I...>) > 0);
    return StepLoss(0);
  }
  template <class Self = M>
  StepLoss step(std::initializer_list<detail::AnyWord>) {
    static_assert(sizeof(train::StepIsUnbraced<sizeof(Self) == 0, I...>) > 0);
    return StepLoss(0);
  }
  template <class Self = Trainer>
  Self* operator->() {
    static_assert(sizeof(train::TrainerIsNoPointer<sizeof(Self) == 0, M>) > 0);
    return this;
  }
  template <class Name>
  requires std::is_convertible_v<const Name&, std::string_view>
  auto get_probe(const Name&) const { return detail::misspelt<ProbeIsNamed<sizeof(Name) == 0, M>>(); }

  // The model that is trained: save, load, get, and what compile takes. With comm::zero<3, Backend>, where no
  // rank has the whole of it, a copy as it is now, which is read; a call of all ranks.
  ModelReference model() {
    if constexpr (O::shards_parameters) {
      check_held();
      return copies().whole_model();
    } else {
      return model_;
    }
  }
  ConstModelReference model() const { return const_cast<Trainer&>(*this).model(); }
  // Takes the parameters and buffers of a file, as model().load(path) does where each rank has all; a call of
  // all ranks.
  LoadReport load_model(const std::string& path) {
    if constexpr (O::shards_parameters) {
      check_held();
      WholeModel whole = copies().whole_model();
      LoadReport report;
      ranks_.together("load the model", [&] { report = whole.load(path); });
      copies().take_model(whole);
      return report;
    } else {
      return model_.load(path);
    }
  }
  // Calls of step so far.
  i64 steps() const { return calls_; }
  // The learning rate from now on, in place of the optimiser's number or schedule. Throws
  // "optim/bad-argument" for one below 0.
  void set_lr(f32 lr) {
    if (!(lr >= 0)) throw Error("optim/bad-argument", "set_lr: the learning rate must be 0 or more");
    optimizer_.optimizer.lr = lr;
  }
  // The rate of the next update.
  f32 lr() const { return optimizer_.optimizer.lr(updates_); }
  template <class Rate>
  void lr(const Rate&) const {  // refused
    static_assert(sizeof(train::RateIsSet<sizeof(Rate) == 0, M, Rate>) > 0);
  }

  // The norm of all gradients together in the last update, before they were clipped: what clip_grad_norm_
  // returns. Needs clip::norm(most), which may be infinite; waits for the step. Throws "train/no-step".
  f64 gradient_norm() const {
    constexpr bool known = std::is_same_v<typename O::Clip, clip::Norm>;
    static_assert(sizeof(train::NormIsKnown<known, typename O::Clip>) > 0);
    check_held();
    if (updates_ == loaded_updates_)
      throw Error("train/no-step", "no update was made yet, so there is no gradient's norm");
    if constexpr (known) {
      using T = ctype<train::parameter_type<M>()>;
      T value{};
      apply_->program().read_output(Code<true>::outputs - 1, &value, sizeof value);
      const f64 x = static_cast<f64>(value);
      return O::Precision::scaled ? x : __builtin_sqrt(x) / static_cast<f64>(micro * ranks_.size());
    } else {
      return 0;
    }
  }

  template <class Rate>
  requires(!std::is_convertible_v<const Rate&, f32>) void set_lr(const Rate&) {
    static_assert(sizeof(train::RateIsNumber<sizeof(Rate) == 0, M, Rate>) > 0);
  }
  // Whether the optimiser keeps an average of the weights.
  static constexpr bool keeps_average = requires { Optimizer::base::average; };
  // A model of the averaged parameters that optim::ema or optim::swa keeps, and the buffers as they are now.
  // With comm::zero a call of all ranks.
  auto average() const {
    if constexpr (keeps_average)
      return averaged_model();
    else
      return detail::misspelt<train::AverageIsKept<false, typename Optimizer::base>>();
  }

  // What the nth place that the model or the loss marks by probe<Name>(x) was in the last step; the option
  // probes<"name", ...> asks for it. Throws "train/no-step".
  template <FixedString Name, int Nth = 0>
  auto get_probe() const {
    using Stage = train::ForwardStage<M, F, O, I...>;
    check_held();
    if (!ran_) throw Error("train/no-step", "no step was made yet, so that no probe has a value");
    if constexpr (micro > 1)
      if (calls_ % micro != 0) return exec::probe_view<Stage, typename O::Probes, Name, Nth>(*add_);
    return exec::probe_view<Stage, typename O::Probes, Name, Nth>(*apply_);
  }

  // Bytes of intermediate values; a constant, known before anything runs.
  static constexpr i64 workspace_bytes() {
    if constexpr (micro > 1)
      return Code<true>::workspace_bytes() + Code<false>::workspace_bytes();
    else
      return Code<true>::workspace_bytes();
  }
  // Bytes of parameters, buffers, moments and the rest of the optimiser's state; with comm::zero those of
  // each of so many ranks.
  static constexpr i64 state_bytes(i64 ranks = 1) {
    return train::model_bytes_of<M, O>(ranks) + optimizer_bytes(ranks);
  }
  // Of these, the optimiser's, moments and all.
  static constexpr i64 optimizer_bytes(i64 ranks = 1) {
    i64 bytes = train::optimizer_bytes_of<M, O>(ranks);
    if constexpr (is_f8) bytes += train::RoundedTrace<M, F, O, I...>::bytes() - layout.bytes;
    return bytes;
  }
  // What a caller who lends the workspace must lend: workspace_bytes() and, on a GPU, room for inputs,
  // partial sums and the library's scratch.
  static constexpr i64 memory_bytes() {
    if constexpr (micro > 1)
      return apply_bytes() + Program<false>::memory_bytes();
    else
      return Program<true>::memory_bytes();
  }
  // Kernels that a step with an update launches, those inside a loop once.
  static constexpr int launches() { return Code<true>::launches(); }
  static constexpr const compiler::ImageHeader& plan() { return Code<true>::plan(); }
  // Every launch of a step that updates, with its bytes, FLOPs and least time; see exec/explain.hpp.
  static std::string explain(const Roofline& machine = {}) {
    return exec::to_text(exec::Shown<Source<true>, Code<true>>::explanation(), machine);
  }
  // On a GPU: the steps from now on run behind `event`, a weft::Event or the runtime's, of whichever stream.
  template <class E>
  Trainer& after(const E& event) {
    static_assert(sizeof(exec::EventsAreOfGpu<exec::HasStream<Program<true>>, E, Device>) > 0);
    if constexpr (exec::HasStream<Program<true>>) apply_->program().after(event);
    return *this;
  }
  // On a GPU: an event behind all steps so far, for cudaStreamWaitEvent. It is this object's, which records
  // it anew when it is asked again.
  auto done() {
    static_assert(sizeof(exec::EventsAreOfGpu<exec::HasStream<Program<true>>, Device>) > 0);
    if constexpr (exec::HasStream<Program<true>>) return apply_->program().done();
  }
  // What each launch of a step that updates takes here beside its least time on `machine`, and the same by
  // module: the median of 10 steps and more (of several ranks 10) on this batch, which train as any steps do.
  template <class... A>
  std::string profile(const Roofline& machine, const A&... batch) {
    constexpr bool fits = sizeof...(A) == sizeof...(I);
    static_assert(sizeof(exec::ArgumentCount<fits, GivenSize<sizeof...(A)>, WantedSize<sizeof...(I)>>) > 0);
    if constexpr (fits)
      return profile_given(machine, exec::given_arguments<Device, I...>(batch...));
    else
      return {};
  }
  std::string profile(const auto&... batch) { return profile(Roofline{}, batch...); }
  // Writes a page for a browser: who holds the workspace at each launch of a step, by module. Throws the
  // file's errors.
  static void memory_timeline(const std::string& path) {
    exec::Shown<Source<true>, Code<true>>::save_memory_timeline(path);
  }
  // The model's table, and what a step takes.
  static std::string summary() {
    return weft::summary<M>() + exec::step_summary(plan(), state_bytes(), workspace_bytes());
  }

 private:
  WholeModel averaged_model() const {
    if (copies().applied() < optimizer_.optimizer.rule.first())
      throw Error("train/no-average", "no weights have been averaged yet: the first are those of update " +
                                          std::to_string(optimizer_.optimizer.rule.first()));
    return copies().model_with(Optimizer::base::average);
  }

  friend class train::Checkpointed<Trainer>;
  friend class train::Evaluated<Trainer, F, I...>;

  // f(ranks, the whole model), which may assign buffers; a call of all ranks where none has the whole.
  template <class G>
  auto with_model(const G& f) {
    if constexpr (O::shards_parameters) {
      check_held();
      WholeModel whole = copies().whole_model();
      auto result = f(ranks_, whole);
      copies().take_model(whole);
      return result;
    } else {
      return f(ranks_, model());
    }
  }

  // Of the program that updates, so that another can begin behind it.
  static constexpr i64 apply_bytes() { return kernel_ir::align_up(Program<true>::memory_bytes()); }

  void check_held() const {
    if (!losses_) [[unlikely]]
      throw Error("train/moved", "a trainer was used that had been moved from");
  }

  using Batch = std::array<exec::Given, sizeof...(I)>;
  template <bool MayBePadded>
  StepLoss step_checked(const Batch& batch) {
    check_held();
    if constexpr (MayBePadded) train::check_padding<Inputs, exec::common_rows<I...>()>(batch);
    bool update = true;
    if constexpr (micro > 1) {
      update = (calls_ + 1) % micro == 0;
      if (!update) run(*add_, batch);
    }
    if (update) {
      run(*apply_, batch);
      ++updates_;
    }
    ++calls_;
    return StepLoss(Shared<const train::LossRing>(losses_), losses_->count() - 1);
  }

  std::string profile_given(const Roofline& machine, const Batch& batch) {
    const double seconds = O::distributed ? 0 : exec::seconds_to_measure;
    const exec::StepTimes times = exec::measure(plan().steps, seconds, [&](exec::StepTimes& now) {
      if constexpr (micro > 1)
        while ((calls_ + 1) % micro != 0) step_checked<true>(batch);
      check_held();
      run(*apply_, batch, [&](auto& instance) { instance.run_timed(now); });
      ++updates_, ++calls_;
    });
    return Instance<true>::profile_text(times, machine);
  }

  template <class In>
  void run(In& instance, const Batch& batch) {
    run(instance, batch, [](In& program) { program.run(); });
  }
  template <class In, class Run>
  void run(In& instance, const Batch& batch, const Run& run_program) {
    ran_ = true;
    const typename In::Call call(instance);
    auto& program = instance.program();
    for (int k = 0; k < Inputs::count; ++k)
      instance.bind(Inputs::table.row[k], k, batch[static_cast<std::size_t>(k)]);
    f32 numbers[Scalars::per_group > 0 ? Scalars::per_group : 1];
    if constexpr (requires { clip_.most; }) program.set_scalar(Scalars::clip, clip_.most);
    program.set_scalar(Scalars::update, static_cast<f32>(updates_ + 1));
    for (int g = 0; g < Optimizer::group_count; ++g) {
      optimizer_.fill(g, updates_, numbers);
      for (int n = 0; n < Scalars::per_group; ++n) program.set_scalar(Scalars::group(g) + n, numbers[n]);
    }
    if constexpr (O::distributed) program.set_scalar(Scalars::ranks, static_cast<f32>(ranks_.size()));
    program.set_random(seed_, static_cast<u64>(calls_ * ranks_.size() + ranks_.rank()));
    run_program(instance);
    if constexpr (O::distributed) {  // running statistics are rank 0's, as DistributedDataParallel has it
      constexpr ir::Range assigned = Source<true>::assigned_buffers();
      ranks_.broadcast(model_.state() + shards().model.at(assigned.offset), assigned.length, program);
    }
    if constexpr (O::sharded && !O::shards_parameters && std::is_same_v<In, Instance<true>>)
      // what each rank has updated
      ranks_.gather(model_.state(), train::arena_shares<M, O>, shards().optimizer.unit, program);
    losses_->take(program);
  }

  static train::CheckpointForm checkpoint_form() {
    train::CheckpointForm form = train::checkpoint_form<M, O>();
    if constexpr (is_f8) train::add_f8_scales<M, O, train::RoundedTrace<M, F, O, I...>>(form);
    return form;
  }

  // What this rank has of the blocks.
  exec::Shards shards() const {
    const i64 rank = ranks_.rank(), size = ranks_.size();
    exec::Shards own{train::shard_of<M, O>(rank, size), train::model_shard_of<M, O>(rank, size)};
    own.optimizer.bytes = optimizer_bytes(size);
    return own;
  }
  train::StateCopies<M, O, Device> copies() const {
    return {model_.device(), model_.storage()->data(), state_->data(), ranks_, group_, updates_};
  }

  Shared<train::SaveJob> save_job(const std::string& path, train::CheckpointCounts counts) const {
    check_held();
    counts.seed = seed_;
    counts.calls = calls_;
    counts.applied = updates_;
    return copies().save_job(path, checkpoint_form(), counts);
  }
  template <class Seek>
  CheckpointReport load_checkpoint(const std::string& path, const Seek& seek) {
    check_held();
    CheckpointReport report;
    ranks_.together("load the checkpoint", [&] {
      group_.together("load the checkpoint", [&] { report = read_checkpoint(path, seek); });
    });
    return report;
  }
  template <class Seek>
  CheckpointReport read_checkpoint(const std::string& path, const Seek& seek) {
    const io::Safetensors file = io::open_safetensors(path);
    const train::CheckpointForm form = checkpoint_form(),
                                saved = train::StateCopies<M, O, Device>::in_files(form);
    train::CheckpointReader checkpoint(file, path, saved);
    seek(checkpoint);
    copies().restore(checkpoint, form);
    calls_ = checkpoint.counts().calls;
    updates_ = loaded_updates_ = checkpoint.counts().applied;
    seed_ = checkpoint.counts().seed;
    return checkpoint.report();
  }

  // Every rank is one of the same program, and begins with rank 0's seed and values.
  void join_ranks() {
    train::Digest digest;
    digest.add(digest.program, O::reduction.by_engine);
    for (int k = 0; k < Code<true>::header.size; ++k) digest.add(digest.program, Code<true>::image[k]);
    digest.add_numbers(optimizer_, clip_);
    train::join(ranks_, digest, seed_);
    train::join(group_, digest, seed_);
    if constexpr (O::distributed)
      ranks_.communicator()->name_state(
          [](i64 offset) { return exec::state_name(static_cast<M*>(nullptr), offset); },
          size_of(train::parameter_type<M>()));
    ranks_.broadcast(model_.state(), nn::state_table<M>.bytes);
  }

  struct Nothing {};

  [[no_unique_address]] train::DataRanks<M, typename O::Comm> ranks_;
  [[no_unique_address]] train::GroupRanks<M> group_;  // which have the other parts of the model
  std::conditional_t<O::shards_parameters, train::ModelPiece<M, O, Device>, exec::ProgramModel<M, Device>>
      model_;
  u64 seed_ = 0;
  Optimizer optimizer_;
  typename O::Clip clip_;
  Shared<train::DeviceLossRing<Device>> losses_;  // before the programs, which may still write to it
  Shared<exec::DeviceStorage<Device>> state_;     // the optimiser's
  Shared<Instance<true>> apply_;
  std::conditional_t<(micro > 1), Shared<Instance<false>>, Nothing> add_;  // adds to the gradients alone
  i64 calls_ = 0, updates_ = 0, loaded_updates_ = 0;  // the last: those of the checkpoint that was loaded
  bool ran_ = false;
};

// Refused.
template <class M, class F, class Device, class O, class... I, class... A>
auto evaluate(const Trainer<M, F, Device, O, I...>&, const A&...) {
  static_assert(sizeof(train::TrainerEvaluates<(sizeof...(A) > 99), M>) > 0);
  return AfterRefusal{};
}

template <class M, class... A>
requires is_model<std::remove_cvref_t<M>>
auto evaluate(M&&, exec::NamedFunction, const A&...) {
  static_assert(
      sizeof(exec::NamedFunctionIsCalled<(sizeof...(A) > 99), typename std::remove_cvref_t<M>::type>) > 0);
  return AfterRefusal{};
}

}  // namespace WEFT_NAMESPACE
