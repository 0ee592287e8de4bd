#pragma once
// make_trainer: from a model, a loss, inputs and options to the trainer of them, with a sentence for each
// that does not fit.

#include "weft/core/takes.hpp"
#include "weft/train/trainer.hpp"

namespace WEFT_NAMESPACE {

namespace train {

// Messages of the checks on a traced step.
WEFT_REFUSAL(EveryInputIsRead,
             "make_trainer: an input is never used by the loss; pass it to ignore(x), or leave it out");
WEFT_REFUSAL(LossIsFirst,
             "make_trainer: the loss comes before inputs and options: make_trainer<Net>(Cpu{}, loss, "
             "in<f32, 32, 8>, in<i32, 32>, optim::AdamW{})");
WEFT_REFUSAL(EveryParameterLearns,
             "make_trainer: no gradient reaches a trained parameter: use it, or hold it in nn::Frozen; "
             "accuracy, argmax "
             "and comparisons have none: take a loss such as cross_entropy");
WEFT_REFUSAL(
    LossTakes,
    "make_trainer: the loss cannot be called with the model and these inputs: it takes the "
    "model, not the Model of it, then one argument for each in<...>: [](const auto& m, auto x, auto y) { "
    "return cross_entropy(m(x), y); }");
WEFT_REFUSAL(LossIsScalar,
             "make_trainer: the loss must be one floating-point number: reduce it with mean<>() or sum<>(), "
             "and of several results return the loss and mark the others by probe<\"accuracy\">(x)");
WEFT_REFUSAL(ModelIsTrained,
             "make_trainer: the model has no parameter to train: give it a layer or an nn::Param, or take "
             "nn::Frozen or optim::frozen off one; compile runs a model that is not trained");
WEFT_REFUSAL(FrozenAreSome,
             "make_trainer: the predicate of optim::frozen holds for no parameter: names are those of "
             "model.summary(), from the model's own members on, as fc1.weight, without module. or model.");
WEFT_REFUSAL(
    CheckpointHasBlocks,
    "checkpoint::blocks, dots, keep<...>: the model has no blocks to compute again: a block is an "
    "element of an nn::Stack, a std::array or an nn::Sequential, or a member outside of an nn::Stack, with "
    "nothing in one, that checkpoint::blocks_of<predicate> names by its path; leave the option out, or "
    "put the layers into one");
WEFT_REFUSAL(F8FindsProducts,
             "precision::f8: no product is left to it, which takes none of the first and the last layer, of "
             "recurrences, of convolutions and of f64: choose parameters by precision::f8_with<..., "
             "predicate>, or take precision::bf16");
WEFT_REFUSAL(
    F8BlocksAgree,
    "precision::f8_with: the blocks of an nn::Stack are one loop, and the predicate holds for some of "
    "them only: let it hold for all or none, or write the blocks as a std::array");
WEFT_REFUSAL(
    CheckpointBudgetHolds,
    "checkpoint::budget<bytes>: the workspace takes more, even where of each block only what enters it "
    "is kept: give at least WantedSize<bytes>, a smaller batch (with accumulate<N>), or a precision");
WEFT_REFUSAL(RanksRunOnCpu,
             "comm::ddp<comm::Mpi>: it connects programs of Cpu{}, and no other device's; GPUs are connected "
             "by comm::ddp<comm::Nccl>, with #include <weft/nccl.hpp>");
WEFT_REFUSAL(RanksRunOnGpus,
             "comm::ddp<comm::Nccl>: it connects GPUs, compiled by nvcc: const comm::Nccl world; "
             "make_trainer<Net>(world.device(), ...); on Cpu{} take comm::ddp<comm::Mpi>, with #include "
             "<weft/mpi.hpp>");
WEFT_REFUSAL(
    ZeroIsElementwise,
    "comm::zero: a rank updates a piece of the parameters that may end within one, and this optimiser "
    "works on whole tensors: take one that works element by element, such as optim::AdamW, or "
    "comm::ddp");
WEFT_REFUSAL(PiecesTakeModel,
             "comm::zero<3, Backend>: no rank keeps the whole model, so the trainer takes it over: "
             "make_trainer(std::move(model), loss, ...), or make_trainer<Net>(device, loss, ...); "
             "trainer.model() is a copy of all ranks' pieces");
WEFT_REFUSAL(PartsAreElementwise,
             "make_trainer: ranks have parts of the model's parameters, and this optimiser works on whole "
             "tensors: take one that works element by element, such as optim::AdamW");
WEFT_REFUSAL(SentAsBf16,
             "comm::Reduction{.in_bf16 = true}: gradients of f64 parameters would lose most of their digits: "
             "leave it out, or make the parameters f32");
WEFT_REFUSAL(PartsAreWhole,
             "make_trainer: with tensor parallel layers take comm::ddp<comm::Mpi> between the groups, or no "
             "communication, and another precision than precision::f8");
WEFT_REFUSAL(ParametersAgree,
             "make_trainer: trained parameters must all be f32, or all f64; a precision policy lowers the "
             "products");

template <class M, int I>
constexpr auto state_name() {
  constexpr std::string_view name = nn::state_table<M>.row[I >= 0 ? I : 0].name.view();
  FixedString<name.size()> text{};
  for (std::size_t i = 0; i < name.size(); ++i) text.text[i] = name[i];
  return text;
}

// Whether what connects the ranks, if there are ranks, connects programs of this device.
template <class Device, class Comm>
constexpr bool ranks_run_on() {
  if constexpr (std::is_same_v<Comm, comm::None>) {
    return true;
  } else if constexpr (requires { typename Comm::backend::device_type; }) {
    constexpr bool same = std::is_same_v<Device, typename Comm::backend::device_type>;
    static_assert(sizeof(RanksRunOnGpus<same, Device>) > 0);
    return same;
  } else {
    constexpr bool same = std::is_same_v<Device, Cpu>;
    static_assert(sizeof(RanksRunOnCpu<same, Device>) > 0);
    return same;
  }
}

WEFT_REFUSAL(LbfgsIsIncluded,
             "optim::LBFGS has a trainer of its own, in a header that weft.hpp leaves out: write #include "
             "<weft/train/lbfgs.hpp>");

// The class that runs an optimiser; one that is no update of the step's program has another (lbfgs.hpp).
template <class Optimizer>
struct TrainerFor {
  static constexpr bool is_included = !requires { Optimizer::base::closure; };
  template <class M, class F, class Device, class O, class... I>
  using type = Trainer<M, F, Device, O, I...>;
};

template <class M, class F, class... I>
constexpr bool loss_takes(std::tuple<I...>) {
  if constexpr (!exec::calls_operator<M, F, I...>()) {
    return false;
  } else {
    constexpr bool callable = detail::takes<F, M, Expr<typename I::dtype, typename I::shape>...>();
    static_assert(sizeof(LossTakes<callable, M, I...>) > 0);
    return callable;
  }
}

template <class M, class F, class Sorted, class... I>
constexpr bool state_has_values() {
  using Trace = ForwardTrace<M, F, Sorted, I...>;
  constexpr int node = static_cast<int>(Kept<Trace>::data[3]);
  if constexpr (node < 0)
    return true;
  else
    return exec::state_has_values<
        exec::without_value(ir::thaw(Kept<Trace>::data + Trace::header_words), node), M, F>();
}

// Whether the model has what the checkpoint option, if there is one, computes again.
template <class M, class Sorted>
constexpr bool finds_blocks() {
  if constexpr (names_blocks<typename Sorted::Checkpoint>)
    return finds_scopes<M, typename Sorted::Checkpoint>();
  else if constexpr (Sorted::recomputes)
    return has_written_blocks<M> || has_stacks<M>;
  else
    return true;
}

// Whether there are products that precision::f8, if it is given, takes in 8 bits.
template <class M, class F, class Sorted, class... I>
constexpr bool scales_products() {
  if constexpr (precision::is_f8<typename Sorted::Precision>) {
    constexpr F8Outcome outcome = RoundedTrace<M, F, Sorted, I...>::outcome();
    static_assert(sizeof(F8FindsProducts<(outcome != F8Outcome::none_chosen), M>) > 0);
    static_assert(sizeof(F8BlocksAgree<(outcome != F8Outcome::blocks_differ), M>) > 0);
    return outcome == F8Outcome::fits;
  } else {
    return true;
  }
}

// Whether the programs of a trainer stay within its budget, if there is one.
template <class M, class F, class Sorted, class... I>
constexpr bool holds_budget() {
  if constexpr (Sorted::budget >= 0) {
    constexpr i64 least = budgeted_workspace<M, F, Sorted, I...>();
    static_assert(sizeof(CheckpointBudgetHolds<(least <= Sorted::budget), M, GivenSize<Sorted::budget>,
                                               WantedSize<least>>) > 0);
    return least <= Sorted::budget;
  } else {
    return true;
  }
}

// Whether an optimiser updates each element by itself.
template <class Optimizer>
constexpr bool updates_elements() {
  return !requires(optim::Update & u) { Optimizer::base::update_tensor(u); }
  &&!requires { Optimizer::by_matrix(0); };
}

// Sorted: Options<...>. make_model() gives the model that the trainer takes over.
template <class M, class F, class Device, class Sorted, class... I, class Make, class... A>
auto make_checked(std::tuple<I...>, const Make& make_model, const A&... options) {
  using LossType = decltype(exec::call<I...>(std::declval<ir::Builder&>(), F{}, std::declval<const M&>()));
  constexpr bool scalar = [] {
    if constexpr (is_expr<LossType>)
      return LossType::shape::size == 1 && is_float(dtype_of<typename LossType::dtype>);
    else
      return std::is_same_v<LossType, AfterRefusal>;
  }();
  static_assert(sizeof(LossIsScalar<scalar, M, LossType>) > 0);
  static_assert(sizeof(ModelIsTrained<updates_something<M, Sorted>(), M>) > 0);
  static_assert(sizeof(FrozenAreSome<!freezes_nothing<M, Sorted>(), M>) > 0);
  static_assert(sizeof(ParametersAgree<parameters_agree<M>(), M>) > 0);
  constexpr bool connected = ranks_run_on<Device, typename Sorted::Comm>();
  static_assert(sizeof(SentAsBf16 < !Sorted::reduction.in_bf16 || parameter_type<M>() == DType::f32, M >) >
                0);
  static_assert(sizeof(ZeroIsElementwise < !Sorted::sharded || updates_elements<typename Sorted::Optimizer>(),
                       typename Sorted::given_optimizer >) > 0);
  constexpr bool in_parts = nn::state_table<M>.in_parts();
  static_assert(sizeof(PartsAreElementwise < !in_parts || updates_elements<typename Sorted::Optimizer>(), M,
                       typename Sorted::given_optimizer >) > 0);
  static_assert(
      sizeof(PartsAreWhole < !in_parts || !(Sorted::sharded || precision::is_f8<typename Sorted::Precision>),
             M >) > 0);
  static_assert(sizeof(CheckpointHasBlocks<finds_blocks<M, Sorted>(), M>) > 0);
  if constexpr (!refused_before<M, F, Device, Sorted, LossType>) {
    constexpr bool runs = RunsWhileCompiling<ForwardTrace<M, F, Sorted, I...>>;
    static_assert(sizeof(exec::TracesWhileCompiling<runs, M, F>) > 0 &&
                  sizeof(ShownWhyNot<runs, ForwardTrace<M, F, Sorted, I...>>) > 0);
    if constexpr (!runs || !connected) {
      return AfterRefusal{};
    } else if constexpr (!state_has_values<M, F, Sorted, I...>()) {
      return AfterRefusal{};
    } else if constexpr (!scales_products<M, F, Sorted, I...>()) {
      return AfterRefusal{};
    } else {
      using Source = StepSource<M, F, Sorted, true, I...>;
      constexpr int unused = Source::unused_input(), unreached = Source::unreached();
      static_assert(sizeof(EveryInputIsRead<(unused < 0), M, GivenInput<unused>>) > 0);
      static_assert(sizeof(EveryParameterLearns<(unreached < 0), M, GivenName<state_name<M, unreached>()>>) >
                    0);
      using Runs = TrainerFor<typename Sorted::Optimizer>;
      static_assert(sizeof(LbfgsIsIncluded<Runs::is_included, M>) > 0);
      using Made = typename Runs::template type<M, F, Device, Sorted, I...>;
      if constexpr (!Runs::is_included || unused >= 0 || unreached >= 0 || !Source::probes_exist())
        return AfterRefusal{};
      else if constexpr (!holds_budget<M, F, Sorted, I...>())
        return AfterRefusal{};
      else
        return Made(make_model(), options...);
    }
  } else {
    return AfterRefusal{};
  }
}

WEFT_REFUSAL(
    TrainsOneModel,
    "make_trainer: a trainer is of one model, which may hold several: make them members of one, struct "
    "Both { A a; B b; }, and give it once, make_trainer<Both>(Cpu{}, [](const auto& m, auto x) { "
    "return loss(m.a(x), m.b(x)); }, in<...>...)");

WEFT_REFUSAL(ModelHasItsDevice,
             "make_trainer: a Model lies on a device already: leave Cpu{} out, make_trainer(model, loss, "
             "in<f32, 32, 8>, ...), or let the trainer make the model, make_trainer<Net>(Cpu{}, loss, ...)");

WEFT_REFUSAL(
    StructIsTrained,
    "make_trainer<Net>: the type is the model's struct, of which the trainer has a Model, trainer.model(); "
    "to train one that there is already write make_trainer(model, loss, in<...>...)");

// The arguments after the loss: inputs, then options. Kept: the model stays the caller's, too.
template <class M, class F, class Device, bool Kept = false, class Make, class... A>
auto make(const Make& make_model, const A&... arguments) {
  using Split = exec::SplitArguments<std::tuple<>, A...>;
  using Sorted = typename Split::template options<Options>;
  static_assert(sizeof(ModelHasItsDevice<!exec::is_device<F>, M, F>) > 0);
  constexpr bool option = option_kind<F>() != OptionKind::unknown;
  static_assert(sizeof(LossIsFirst<!option, F>) > 0);
  static_assert(sizeof(TrainsOneModel<!is_model<F>, M, F>) > 0);
  static_assert(sizeof(StructIsTrained<!is_model<M>, M>) > 0);
  static_assert(sizeof(CapturesNothing < option || is_traceable<F> || is_model<F>, F >) > 0);
  static_assert(sizeof(typename Split::template options<CheckOptions>) > 0);
  static_assert(sizeof(PiecesTakeModel < !Kept || !Sorted::shards_parameters, M >) > 0);
  constexpr bool plain = [] {
    if constexpr (is_model<M>)
      return false;
    else
      return nn::plain<M>();
  }();
  if constexpr (!option && is_traceable<F> && Sorted::ok && plain) {
    constexpr bool callable = loss_takes<M, F>(typename Split::inputs{});
    if constexpr (callable)
      return make_checked<M, F, Device, Sorted>(typename Split::inputs{}, make_model, arguments...);
    else
      return AfterRefusal{};
  } else {
    return AfterRefusal{};
  }
}

}  // namespace train

WEFT_REFUSAL(TrainerTakesModel,
             "make_trainer takes a device and the model's type, make_trainer<Net>(Cpu{}, loss, in<...>, ..., "
             "optim::AdamW{}), or a Model, which is not const: make_trainer(model, loss, ...)");
template <class Given, class F, class... A>
requires(!is_model<Given>) AfterRefusal make_trainer(const Given&, F, const A&...) {
  static_assert(sizeof(TrainerTakesModel<sizeof(F) == 0, Given>) > 0);
  return {};
}
template <class M, class Device, class F, class... A>
AfterRefusal make_trainer(const Model<M, Device>&, F, const A&...) {
  static_assert(sizeof(TrainerTakesModel<sizeof(F) == 0, const Model<M, Device>&>) > 0);
  return {};
}
template <class M, class Given, class F, class... A>
requires(!exec::is_device<Given> && !is_model<Given>) AfterRefusal
    make_trainer(const Given&, F, const A&...) {
  static_assert(sizeof(TrainerTakesModel<sizeof(F) == 0, M, Given>) > 0);
  return {};
}
// Of a template that was not given its arguments.
template <template <auto...> class M, class... A>
AfterRefusal make_trainer(const A&...) {
  static_assert(sizeof(exec::ModelHasArguments<(sizeof...(A) > 99), A...>) > 0);
  return {};
}
template <template <class...> class M, class... A>
AfterRefusal make_trainer(const A&...) {
  static_assert(sizeof(exec::ModelHasArguments<(sizeof...(A) > 99), A...>) > 0);
  return {};
}

template <class M, class Device, class... A>
requires exec::is_device<Device>
auto make_trainer(const Device&, exec::NamedFunction, const A&...) {
  static_assert(sizeof(exec::NamedFunctionIsCalled<sizeof(M*) == 0, M, A...>) > 0);
  return AfterRefusal{};
}
template <class M, class Device, class... A>
auto make_trainer(Model<M, Device>&, exec::NamedFunction, const A&...) {
  static_assert(sizeof(exec::NamedFunctionIsCalled<sizeof(M*) == 0, M, A...>) > 0);
  return AfterRefusal{};
}

// make_trainer<Mlp>(device, loss, inputs..., options...): see train/options.hpp for the options.
template <class M, class Device, class F, class... A>
requires exec::is_device<Device>
auto make_trainer(const Device& device, F, const A&... inputs_then_options) {
  return train::make<M, F, Device>(
      [&] {
        return Model<M, Device>(device, exec::given_or_fresh_seed(SeedUse::model, inputs_then_options...));
      },
      inputs_then_options...);
}

// make_trainer(model, loss, inputs..., options...): trains on from a model's values. The trainer shares its
// state: every trainer and every function of the model sees what the others have done, in the order of the
// calls. An rvalue, std::move(model), is taken over.
template <class M, class Device, class F, class... A>
auto make_trainer(Model<M, Device>& model, F, const A&... inputs_then_options) {
  if constexpr (is_after_refusal<Model<M, Device>>)
    return AfterRefusal{};
  else
    return train::make<M, F, Device, true>([&] { return Model<M, Device>(model.device(), model); },
                                           inputs_then_options...);
}
template <class M, class Device, class F, class... A>
auto make_trainer(Model<M, Device>&& model, F, const A&... inputs_then_options) {
  if constexpr (is_after_refusal<Model<M, Device>>)
    return AfterRefusal{};
  else
    return train::make<M, F, Device>(
        [&] {
          model.storage();  // throws where there is none
          return std::move(model);
        },
        inputs_then_options...);
}

}  // namespace WEFT_NAMESPACE
