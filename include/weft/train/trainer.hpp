#pragma once
// Trainer: a model, the state of its optimiser, and the compiled step. One trainer per thread; distinct ones
// are independent.

#include <string>
#include <vector>

#include "weft/exec/model.hpp"
#include "weft/train/checkpoint.hpp"
#include "weft/train/loss_ring.hpp"
#include "weft/train/step.hpp"

namespace weft {

namespace train {

// Messages of the checks on a traced step.
template <bool Ok, class Model, int Input>
struct EveryInputIsRead {
  static_assert(Ok,
                "make_trainer: an input is never used by the loss; pass it to ignore(x), or leave it out");
};
template <bool Ok, class Model, FixedString Parameter>
struct EveryParameterLearns {
  static_assert(Ok, "make_trainer: no gradient reaches a trained parameter (named in this message)");
};
template <bool Ok, class Model, class... Inputs>
struct LossTakes {
  static_assert(Ok,
                "make_trainer: the loss cannot be called with the model and these inputs: it takes the "
                "model, then one argument for each in<...>");
};
template <bool Ok, class Model, class Loss>
struct LossIsScalar {
  static_assert(
      Ok, "make_trainer: the loss must be one floating-point number: reduce it with mean<>() or sum<>()");
};
template <bool Ok, class Model>
struct ParametersAgree {
  static_assert(Ok,
                "make_trainer: trained parameters must all be f32, or all f64; a precision policy lowers the "
                "products");
};

template <class M, int I>
constexpr auto state_name() {
  constexpr std::string_view name = nn::state_table<M>.row[I >= 0 ? I : 0].name.view();
  FixedString<name.size()> text{};
  for (std::size_t i = 0; i < name.size(); ++i) text.text[i] = name[i];
  return text;
}

}  // namespace train

// The loss of a step; reading it waits for the step. One older than the last 64 is an Error
// ("train/old-loss"). Valid as long as the trainer, which may move.
class StepLoss {
 public:
  StepLoss(const train::LossRing* ring, i64 step) : ring_(ring), step_(step) {}
  f32 value() const { return ring_->read(step_); }
  operator f32() const { return value(); }

 private:
  const train::LossRing* ring_;
  i64 step_;
};

template <class M, class F, class Device, class O, class... I>
class Trainer : public train::Checkpointed<Trainer<M, F, Device, O, I...>> {
  template <bool Apply>
  using Source = train::StepSource<M, F, O, Apply, I...>;
  template <bool Apply>
  using Code = exec::Compiled<Source<Apply>>;
  template <bool Apply>
  using Program = typename exec::ProgramOf<Device, Code<Apply>>::type;
  using Optimizer = typename O::Optimizer;
  using Scalars = train::ScalarLayout<O>;
  using Memory = exec::DeviceMemory<Device>;
  static constexpr int micro = O::Accumulation::count;
  static constexpr train::OptimizerLayout layout = train::optimizer_layout<M, O>;

 public:
  using InputTypes = std::tuple<I...>;

  template <class... Given>
  explicit Trainer(weft::Model<M, Device>&& model, const Given&... given)
      : model_(std::move(model)),
        seed_(get_option<seed>(given...).value),
        optimizer_(optim::AsGroups<typename O::given_optimizer>::make(
            get_option<typename O::given_optimizer>(given...))),
        clip_(get_option<typename O::Clip>(given...)),
        losses_(new train::DeviceLossRing<Device>(model_.device())) {
    const lend lent = get_option<lend>(given...);
    auto* const workspace = static_cast<std::byte*>(lent.workspace);
    state_ = exec::lent_or_own(model_.device(), lent.optimizer, layout.bytes);
    Memory::zero(state_);
    const f32 scale = train::LossScale::first;
    Memory::from_host(model_.device(), state_.data() + layout.scale, &scale, sizeof scale);
    exec::Blocks blocks{.model = model_.state(), .optimizer = state_.data(), .workspace = workspace};
    apply_ = exec::Owned<Program<true>>(new Program<true>(model_.device(), blocks));
    if constexpr (micro > 1) {
      if (workspace != nullptr) blocks.workspace = workspace + apply_bytes();
      add_ = exec::Owned<Program<false>>(new Program<false>(model_.device(), blocks));
    }
  }
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;
  Trainer(Trainer&&) = default;

  // One training step on a batch; `accumulate<N>` updates at every N-th.
  template <class... A>
  StepLoss step(const A&... batch) {
    static_assert(sizeof...(A) == sizeof...(I), "step: one argument an input");
    bool update = true;
    if constexpr (micro > 1) {
      update = (calls_ + 1) % micro == 0;
      if (!update) run(*add_, batch...);
    }
    if (update) {
      run(*apply_, batch...);
      ++updates_;
    }
    ++calls_;
    return StepLoss(losses_.get(), calls_ - 1);
  }

  weft::Model<M, Device>& model() { return model_; }
  const weft::Model<M, Device>& model() const { return model_; }
  // Calls of step so far.
  i64 steps() const { return calls_; }
  // The learning rate from now on, in place of the optimiser's number or schedule.
  void set_lr(f32 lr) { optimizer_.optimizer.lr = lr; }
  f32 lr() const { return optimizer_.optimizer.lr(updates_); }

  // A model of the averaged parameters that optim::ema or optim::swa keeps, and the buffers as they are now.
  weft::Model<M, Device> average() const requires requires { Optimizer::base::average; }
  {
    if (static_cast<i64>(updates_) < optimizer_.optimizer.rule.first())
      throw Error("train/no-average", "no weights have been averaged yet: the first are those of update " +
                                          std::to_string(optimizer_.optimizer.rule.first()));
    constexpr const auto& table = nn::state_table<M>;
    std::vector<std::byte> block(static_cast<std::size_t>(table.bytes));
    Memory::to_host(model_.device(), block.data(), model_.state(), table.bytes);
    Memory::to_host(model_.device(), block.data(), state_.data() + layout.moment[Optimizer::base::average],
                    table.trained_bytes);
    weft::Model<M, Device> averaged(model_.device());
    Memory::from_host(model_.device(), averaged.state(), block.data(), table.bytes);
    return averaged;
  }

  // What the nth place that the model or the loss marks by probe<Name>(x) was in the last step, until the
  // next; the option probes<"name", ...> asks for it.
  template <FixedString Name, int Nth = 0>
  auto get_probe() const {
    using Stage = train::ForwardStage<M, F, O, I...>;
    if constexpr (micro > 1)
      if (calls_ % micro != 0) return exec::probe_view<Stage, typename O::Probes, Name, Nth, Device>(*add_);
    return exec::probe_view<Stage, typename O::Probes, Name, Nth, Device>(*apply_);
  }

  // Bytes of intermediate values; a constant, known before anything runs.
  static constexpr i64 workspace_bytes() {
    if constexpr (micro > 1)
      return Code<true>::header.workspace_bytes + Code<false>::header.workspace_bytes;
    else
      return Code<true>::header.workspace_bytes;
  }
  // Bytes of parameters, buffers, moments and the rest of the optimiser's state.
  static constexpr i64 state_bytes() { return nn::state_table<M>.bytes + optimizer_bytes(); }
  // Of these, the optimiser's, moments and all.
  static constexpr i64 optimizer_bytes() { return layout.bytes; }
  // What a caller who lends the workspace must lend: workspace_bytes() and, on a GPU, room for inputs,
  // partial sums and the library's scratch.
  static constexpr i64 memory_bytes() {
    if constexpr (micro > 1)
      return apply_bytes() + Program<false>::memory_bytes();
    else
      return Program<true>::memory_bytes();
  }
  static constexpr int launches() { return Code<true>::header.launches; }
  static constexpr const codegen::ImageHeader& plan() { return Code<true>::header; }
  // Every launch of a step that updates, with its bytes, FLOPs and least time; see exec/explain.hpp.
  static std::string explain(const Roofline& machine = {}) { return weft::explain<Source<true>>(machine); }
  // The model's table, and what a step takes.
  static std::string summary() {
    return weft::summary<M>() + exec::step_summary(plan(), state_bytes(), workspace_bytes());
  }

 private:
  friend class train::Checkpointed<Trainer>;

  // Of the program that updates, so that another can begin behind it.
  static constexpr i64 apply_bytes() { return passes::align_up(Program<true>::memory_bytes()); }

  template <class P, class... A>
  void run(P& program, const A&... batch) {
    int k = 0;
    [[maybe_unused]] auto bind = [&]<class In>(std::type_identity<In>, const auto& a) {
      static_assert(
          sizeof(exec::ArgumentReachable<exec::argument_reachable<Device, std::remove_cvref_t<decltype(a)>>(),
                                         std::remove_cvref_t<decltype(a)>, Device>) > 0);
      program.bind_input(k, exec::argument<In>(a, k));
      ++k;
    };
    (bind(std::type_identity<I>{}, batch), ...);
    f32 numbers[Scalars::per_group > 0 ? Scalars::per_group : 1];
    if constexpr (requires { clip_.most; }) program.set_scalar(Scalars::clip, clip_.most);
    program.set_scalar(Scalars::update, static_cast<f32>(updates_ + 1));
    for (int g = 0; g < Optimizer::group_count; ++g) {
      optimizer_.fill(g, updates_, numbers);
      for (int n = 0; n < Scalars::per_group; ++n) program.set_scalar(Scalars::group(g) + n, numbers[n]);
    }
    program.set_random(seed_, static_cast<u64>(calls_));
    program.run();
    losses_->take(program);
  }

  void save_checkpoint(const std::string& path, train::CheckpointCounts counts) const {
    const train::CheckpointForm form = train::checkpoint_form<M, O>();
    std::vector<std::byte> block(static_cast<std::size_t>(form.state.bytes));
    Memory::to_host(model_.device(), block.data(), model_.state(), form.model_bytes);
    Memory::to_host(model_.device(), block.data() + form.model_bytes, state_.data(), layout.bytes);
    counts.seed = seed_;
    counts.calls = calls_;
    counts.applied = updates_;
    if constexpr (!O::Precision::scaled)
      train::put_number(block.data(), form.updates, static_cast<i32>(updates_));
    train::write_checkpoint(path, form, counts, block.data());
  }

  template <class Seek>
  CheckpointReport load_checkpoint(const std::string& path, const Seek& seek) {
    const io::Safetensors file(path);
    const train::CheckpointForm form = train::checkpoint_form<M, O>();
    const train::CheckpointReader checkpoint(file, path, form);
    seek(checkpoint);
    Memory::from_host(model_.device(), model_.state(), checkpoint.block().data(), form.model_bytes);
    Memory::from_host(model_.device(), state_.data(), checkpoint.block().data() + form.model_bytes,
                      layout.bytes);
    calls_ = checkpoint.counts().calls;
    updates_ = checkpoint.counts().applied;
    seed_ = checkpoint.counts().seed;
    losses_->restart(calls_);
    return checkpoint.report();
  }

  struct Nothing {};

  weft::Model<M, Device> model_;
  u64 seed_ = 0;
  Optimizer optimizer_;
  typename O::Clip clip_;
  exec::Owned<train::DeviceLossRing<Device>> losses_;  // before the programs, which may still write to it
  typename Memory::Buffer state_;
  exec::Owned<Program<true>> apply_;
  std::conditional_t<(micro > 1), exec::Owned<Program<false>>, Nothing> add_;  // adds to the gradients alone
  i64 calls_ = 0, updates_ = 0;
};

namespace train {

// The class that runs an optimiser; one that is no update of the step's program has another (lbfgs.hpp).
template <class Optimizer>
struct TrainerFor {
  template <class M, class F, class Device, class O, class... I>
  using type = Trainer<M, F, Device, O, I...>;
};

template <class M, class F, class... I>
constexpr bool loss_takes(std::tuple<I...>) {
  constexpr bool callable =
      std::is_invocable_v<const F&, const M&, const Expr<typename I::dtype, typename I::shape>&...>;
  static_assert(sizeof(LossTakes<callable, M, I...>) > 0);
  return callable;
}

// Sorted: Options<...>. make_model() gives the model that the trainer takes over.
template <class M, class F, class Device, class Sorted, class... I, class Make, class... A>
auto make_checked(std::tuple<I...>, const Make& make_model, const A&... options) {
  using LossType = decltype(exec::call<I...>(std::declval<ir::Builder&>(), F{}, std::declval<const M&>()));
  constexpr bool scalar = [] {
    if constexpr (is_expr<LossType>)
      return LossType::size == 1 && is_float(dtype_of<typename LossType::dtype>);
    else
      return false;
  }();
  static_assert(sizeof(LossIsScalar<scalar, M, LossType>) > 0);
  static_assert(sizeof(ParametersAgree<parameters_agree<M>(), M>) > 0);
  if constexpr (scalar && parameters_agree<M>()) {
    using Source = StepSource<M, F, Sorted, true, I...>;
    constexpr int unused = Source::unused_input(), unreached = Source::unreached();
    static_assert(sizeof(EveryInputIsRead<(unused < 0), M, unused>) > 0);
    static_assert(sizeof(EveryParameterLearns<(unreached < 0), M, state_name<M, unreached>()>) > 0);
    using Made = typename TrainerFor<typename Sorted::Optimizer>::template type<M, F, Device, Sorted, I...>;
    if constexpr (unused < 0 && unreached < 0 && Source::probes_exist())
      return Made(make_model(), options...);
  }
}

// The arguments after the loss: inputs, then options.
template <class M, class F, class Device, class Make, class... A>
auto make(const Make& make_model, const A&... arguments) {
  using Split = exec::SplitArguments<std::tuple<>, A...>;
  using Sorted = typename Split::template options<Options>;
  static_assert(sizeof(CapturesNothing<is_traceable<F>, F>) > 0);
  static_assert(sizeof(typename Split::template options<CheckOptions>) > 0);
  if constexpr (is_traceable<F> && Sorted::ok) {
    constexpr bool callable = loss_takes<M, F>(typename Split::inputs{});
    if constexpr (callable)
      return make_checked<M, F, Device, Sorted>(typename Split::inputs{}, make_model, arguments...);
  }
}

}  // namespace train

// make_trainer<Mlp>(device, loss, inputs..., options...): see train/options.hpp for the options.
template <class M, class Device, class F, class... A>
auto make_trainer(const Device& device, F, const A&... inputs_then_options) {
  return train::make<M, F, Device>(
      [&] { return Model<M, Device>(device, get_option<seed>(inputs_then_options...).value); },
      inputs_then_options...);
}

// make_trainer(std::move(model), loss, inputs..., options...): trains on from a model's values; the trainer
// takes it over.
template <class M, class Device, class F, class... A>
auto make_trainer(Model<M, Device>&& model, F, const A&... inputs_then_options) {
  return train::make<M, F, Device>([&] { return std::move(model); }, inputs_then_options...);
}

}  // namespace weft
