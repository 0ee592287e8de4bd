#pragma once
// What a trainer may be told after its inputs, in any order, each kind once: an optimiser, clipping,
// accumulation, checkpointing, communication, and what compile() takes too (exec/options.hpp).

#include <string_view>

#include "weft/exec/options.hpp"
#include "weft/optim/adam.hpp"
#include "weft/optim/groups.hpp"
#include "weft/optim/misspelt.hpp"
#include "weft/optim/sgd.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(AccumulatesSome, "accumulate<N>: the number of steps before an update is at least 1");

// Gradients are averaged over N calls of step before an update.
template <int N>
struct Accumulate : PolicyValue {
  static constexpr bool holds() {
    static_assert(sizeof(AccumulatesSome<(N >= 1), GivenSize<N>>) > 0);
    return N >= 1;
  }
  static constexpr OptionKind option = OptionKind::accumulate;
  static constexpr int count = N;
};
template <int N>
inline constexpr Accumulate<N> accumulate{};

namespace clip {
// Gradients are scaled by min(1, most / (|g| + 1e-6)), |g| the norm over all parameters: clip_grad_norm_.
struct Norm {
  static constexpr OptionKind option = OptionKind::clip;
  float most = 1;  // of the norm; infinite: only gradient_norm() is wanted
};
// Every element of every gradient is held to [-most, most]: clip_grad_value_.
struct Value {
  static constexpr OptionKind option = OptionKind::clip;
  float most = 1;  // of an element
};
struct None : PolicyValue {
  static constexpr OptionKind option = OptionKind::clip;
};
constexpr Norm norm(float most) { return {most}; }
WEFT_REFUSAL(
    MostIsArgument,
    "gradients are clipped by clip::norm(1.0f) or clip::value(0.5f), whose argument is the bound: in "
    "place of clip::norm<1>, clip::norm(), clip::grad_norm(1.0f)");
// Refused.
template <auto Most>
constexpr auto norm() {
  static_assert(sizeof(MostIsArgument<sizeof(Most) == 0, decltype(Most)>) > 0);
  return None{};
}
template <auto Most>
constexpr auto value() {
  static_assert(sizeof(MostIsArgument<sizeof(Most) == 0, decltype(Most)>) > 0);
  return None{};
}
constexpr Value value(float most) { return {most}; }
#define WEFT_CLIP(name)                                                   \
  template <class... A>                                                   \
  requires(sizeof...(A) != 1) constexpr auto name(const A&...) {          \
    static_assert(sizeof(MostIsArgument<(sizeof...(A) > 99), A...>) > 0); \
    return None{};                                                        \
  }
WEFT_CLIP(norm)
WEFT_CLIP(value)
#undef WEFT_CLIP
template <class... A>
constexpr auto grad_norm(const A&...) {
  static_assert(sizeof(MostIsArgument<(sizeof...(A) > 99), A...>) > 0);
  return None{};
}
// Gradients as they are.
inline constexpr None none{};
}  // namespace clip

WEFT_REFUSAL(
    KeepAsksOfValues,
    "checkpoint::keep<predicate>: the predicate is constexpr and takes the name of an operation, as "
    "explain() "
    "prints it, and the shape of its result: checkpoint::keep<[](std::string_view op, const Dims& shape) { "
    "return op == \"conv\"; }>");

WEFT_REFUSAL(BlocksOfAsksOfScopes,
             "checkpoint::blocks_of<predicate>: the predicate is constexpr and takes the path of a member of "
             "the model: "
             "checkpoint::blocks_of<[](std::string_view scope) { return scope == \"encoder\"; }>");

// Activation checkpointing: what the backward pass reads of a block is computed again from what entered the
// block, when the gradient arrives there, in place of being kept. A block is an element of an nn::Stack, a
// std::array or an nn::Sequential, the outermost where they lie in one another. All numbers are those of
// `none`, dropout's masks included.
namespace checkpoint {
struct None : PolicyValue {
  static constexpr OptionKind option = OptionKind::checkpoint;
};
struct Blocks : PolicyValue {
  static constexpr OptionKind option = OptionKind::checkpoint;
  static constexpr bool keeps(const ir::Graph&, int) { return false; }
};
struct Dots : PolicyValue {
  static constexpr OptionKind option = OptionKind::checkpoint;
  static constexpr bool keeps(const ir::Graph& g, int node) {
    const ir::Op op = g.nodes[node].op;
    return op == ir::Op::conv || (op == ir::Op::dot && g.attribute(node, 0) == 0);
  }
};
template <auto Predicate>
struct Keep : PolicyValue {
  static constexpr OptionKind option = OptionKind::checkpoint;
  static constexpr bool keeps(const ir::Graph& g, int node) {
    constexpr bool fits = requires(const Dims& d) { static_cast<bool>(Predicate(std::string_view{}, d)); };
    static_assert(sizeof(KeepAsksOfValues<fits, decltype(Predicate)>) > 0);
    if constexpr (fits)
      return static_cast<bool>(Predicate(std::string_view(ir::info(g.nodes[node].op).name), g.dims(node)));
    else
      return false;
  }
};
template <auto Predicate>
struct BlocksOf : Blocks {
  static constexpr bool names_block(std::string_view scope) {
    constexpr bool fits = requires { static_cast<bool>(Predicate(std::string_view{})); };
    static_assert(sizeof(BlocksOfAsksOfScopes<fits, decltype(Predicate)>) > 0);
    if constexpr (fits)
      return static_cast<bool>(Predicate(scope));
    else
      return false;
  }
};
template <i64 Bytes>
struct Budget : PolicyValue {
  static constexpr OptionKind option = OptionKind::checkpoint;
};
// Everything is kept that the backward pass reads.
inline constexpr None none{};
// Of each block what enters it is kept, and nothing else.
inline constexpr Blocks blocks{};
#ifndef __CUDACC__  // (it has no such attribute)
#define WEFT_MEANT(name)      \
  __attribute__((unavailable( \
      "of each block what enters it is kept by checkpoint::blocks"))) inline constexpr None name{};
WEFT_MEANT(every_layer)
WEFT_MEANT(every_block)
WEFT_MEANT(layers)
WEFT_MEANT(all)
WEFT_MEANT(full)
#undef WEFT_MEANT
#endif
// The same, and a block is as well what lies in a scope that Predicate holds for: the path of a member from
// the model, "encoder" or "encoder.attention", whose parameters are all in it and in no nn::Stack.
//
//   checkpoint::blocks_of<[](std::string_view scope) { return scope == "encoder" || scope == "decoder"; }>
template <auto Predicate>
inline constexpr BlocksOf<Predicate> blocks_of{};
// Convolutions and products without batch axes, those with parameters, are kept as well.
inline constexpr Dots dots{};
// What Predicate(operation, shape) holds for is kept as well: an operation's name as explain() prints it.
template <auto Predicate>
inline constexpr Keep<Predicate> keep{};
// What saves most time for its bytes is kept as well, until the trainer's workspace_bytes() reaches Bytes,
// which it never exceeds; too few are refused while the program compiles. The blocks of an nn::Stack are one
// loop: it keeps everything, what `dots` keeps, or what `blocks` keeps.
template <i64 Bytes>
inline constexpr Budget<Bytes> budget{};
}  // namespace checkpoint

// Communication between ranks: processes that run the same program, each on samples of its own.
namespace comm {
// Of the headers that weft.hpp leaves out.
class Mpi;
class Nccl;

struct None : PolicyValue {
  static constexpr OptionKind option = OptionKind::comm;
};
// How gradients are summed over the ranks, comm::ddp<comm::Mpi, comm::bucket_bytes, comm::Reduction{.in_bf16
// = true}>. Either is equal to what is done without to rounding, and ranks' parameters are equal to each
// other's bit for bit with either.
struct Reduction {
  // The engine's own reductions (MPI_Ireduce_scatter, ncclAllReduce), in an order of its own, which may
  // change with the number of ranks and the machine; without, engines move the pieces, and they are added
  // here in the order of ranks.
  bool by_engine = false;
  // Gradients are rounded to bf16 and sent so, half the bytes of f32; they are added as f32, and where every
  // rank gets the sum (comm::ddp, comm::zero<1>) that is rounded once more. Of f32 parameters.
  bool in_bf16 = false;
};
inline constexpr i64 bucket_bytes = 25 * 1024 * 1024;
WEFT_REFUSAL(BackendConnects,
             "comm::ddp<Backend>: the backend is what connects the ranks, comm::ddp<comm::Mpi> with "
             "#include <weft/mpi.hpp>, or on GPUs comm::ddp<comm::Nccl> with #include <weft/nccl.hpp>");
WEFT_REFUSAL(ReductionIsOne,
             "comm::Reduction: the engines' own reductions are of f32 and f64: give .by_engine or .in_bf16, "
             "not both");
template <class Backend, i64 BucketBytes, Reduction How>
struct Ddp : PolicyValue {
  static constexpr bool holds() {
    constexpr bool connects = requires { Backend::connect(); };
    static_assert(sizeof(BackendConnects<connects, Backend>) > 0);
    static_assert(sizeof(ReductionIsOne<!(How.by_engine && How.in_bf16), Backend>) > 0);
    return connects;
  }
  static constexpr OptionKind option = OptionKind::comm;
  using backend = Backend;
  static constexpr i64 bucket_bytes = BucketBytes;
  static constexpr Reduction reduction = How;
};
// One device, one process.
inline constexpr None none{};
// Data parallelism: every rank begins with rank 0's values, and each update is by the mean of the ranks'
// gradients, whose sum over ranks begins in buckets of BucketBytes as soon as the backward pass has filled
// one. Ranks' parameters are equal bit for bit after every update, and are those of one process with
// accumulate<ranks> that sees the ranks' batches one by one.
template <class Backend, i64 BucketBytes = bucket_bytes, Reduction How = Reduction{}>
inline constexpr Ddp<Backend, BucketBytes, How> ddp{};

WEFT_REFUSAL(ZeroBackendConnects,
             "comm::zero<1, Backend>: the backend is what connects the ranks, comm::zero<1, comm::Mpi> with "
             "#include <weft/mpi.hpp>, or comm::zero<1, comm::Nccl> with #include <weft/nccl.hpp>");
WEFT_REFUSAL(
    ZeroShardsState,
    "comm::zero<Stage, Backend> shares out among the ranks, in stage 1 the optimiser's state, in stage 2 the "
    "gradients, too, in stage 3 the parameters, too: there are no other stages");
template <int Stage, class Backend, i64 BucketBytes, Reduction How>
struct Zero : PolicyValue {
  static constexpr bool holds() {
    constexpr bool staged = Stage >= 1 && Stage <= 3;
    constexpr bool connects = requires { Backend::connect(); };
    static_assert(sizeof(ZeroBackendConnects<connects, Backend>) > 0);
    static_assert(sizeof(ZeroShardsState<staged, GivenSize<Stage>>) > 0);
    static_assert(sizeof(ReductionIsOne<!(How.by_engine && How.in_bf16), Backend>) > 0);
    return connects && staged;
  }
  static constexpr OptionKind option = OptionKind::comm;
  using backend = Backend;
  static constexpr i64 bucket_bytes = BucketBytes;
  static constexpr Reduction reduction = How;
  static constexpr int stage = Stage;
};
// Data parallelism with the optimiser's state shared out: of moments each rank holds the piece that belongs
// to its piece of the parameters, gets the mean of the ranks' gradients for that alone, updates it and gives
// it to all. In stage 2 it has of the gradients that piece alone: each bucket of BucketBytes is summed into
// it while the backward pass goes on, and accumulate<N> adds N calls there. In stage 3 it has of the
// parameters that piece alone: those of a block are gathered before it is computed and dropped behind
// (transforms/gather_parameters.hpp), and trainer.model() is a call of all ranks. (ZeRO: Rajbhandari et al.,
// "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", 2020.) Trains the same bits as
// comm::ddp, on GPUs with clip::norm to rounding; with accumulate<N> stages 2 and 3 those of one process with
// accumulate<N ranks>. Optimisers that work element by element.
template <int Stage, class Backend = void, i64 BucketBytes = bucket_bytes, Reduction How = Reduction{}>
inline constexpr Zero<Stage, Backend, BucketBytes, How> zero{};
#ifndef __CUDACC__
#define WEFT_MEANT(name)                                                                              \
  template <class Backend>                                                                            \
  __attribute__((unavailable(                                                                         \
      "parameters, gradients and moments are shared out over the ranks by comm::zero<3, comm::Mpi>, " \
      "of <weft/mpi.hpp>"))) inline constexpr None name{};
WEFT_MEANT(fsdp)
#undef WEFT_MEANT
#endif
}  // namespace comm

namespace train {

WEFT_REFUSAL(
    TrainerKnowsOption,
    "make_trainer: one of the options is none that it knows: after the inputs, in<f32, 32, 8>, it takes an "
    "optimiser, a precision, clip::norm(most) or clip::value(most), accumulate<N>, checkpoint::blocks, "
    "comm::ddp<Backend>, comm::zero<1, Backend>, "
    "seed{}, a mode, probes<...>, check::finite, check::indices, pass::after<...> and lend{}");
WEFT_REFUSAL(RulesAreOfOptimizer,
             "make_trainer: what some parameters have of their own goes with the optimiser: "
             "optim::groups(optim::no_decay(optim::is_vector), optim::AdamW{})");
WEFT_REFUSAL(PrecisionIsPolicy,
             "make_trainer: a dtype is no option: a precision is precision::bf16, precision::f16 or "
             "precision::f8, and the dtype of parameters that of the layers, nn::Linear<8, 4, bf16>");
WEFT_REFUSAL(ScheduleIsOfOptimizer,
             "make_trainer: a schedule is the rate of the optimiser: optim::AdamW{.lr = "
             "schedule::cosine(1e-3, 1000)}");
WEFT_REFUSAL(
    TrainerInputsFirst,
    "make_trainer: the inputs come before the options: make_trainer<Net>(device, loss, in<...>, ..., "
    "options...)");
WEFT_REFUSAL(TrainerHasOptimizer, "make_trainer: an optimiser is missing: add one, such as optim::AdamW{}");
WEFT_REFUSAL(TrainerOptionOnce,
             "make_trainer: the optimiser, the precision, the clipping, accumulate<N>, the checkpointing, "
             "the communication, "
             "the seed, the mode, "
             "probes<...>, a check or lend{} is given twice: leave one out");

// A rule of optim::groups.
template <class O>
concept IsRule = requires(std::string_view name, const Dims& d) {
  O::matches(name, d);
};

// What an option itself has to say of its arguments: here, where the trail of a message leads to the user's
// line, and not where the option's name is, which is a variable template.
template <class O>
constexpr bool option_holds() {
  if constexpr (requires { O::holds(); })
    return O::holds();
  else
    return true;
}

// The messages for options that make no trainer.
template <class... O>
struct CheckOptions {
  static constexpr bool known = ((option_kind<O>() != OptionKind::unknown) && ... && true);
  static constexpr bool ordered = option_count<OptionKind::input, O...> == 0;
  static constexpr bool optimized = option_count<OptionKind::optimizer, O...> >= 1;
  static constexpr bool rated = (!std::is_same_v<schedule::Schedule, O> && ... && true);
  static constexpr bool spelt = (!optim::is_misspelt<O> && ... && true);
  static_assert(sizeof(optim::OptimizerIsSpelled<spelt, O...>) > 0);
  static constexpr bool ruled = (!IsRule<O> && ... && true),
                        typed = ((!Element<O> || std::is_arithmetic_v<O>)&&... && true);
  static_assert(sizeof(ScheduleIsOfOptimizer<rated, O...>) > 0);
  static_assert(sizeof(RulesAreOfOptimizer<ruled, O...>) > 0);
  static_assert(sizeof(PrecisionIsPolicy<typed, O...>) > 0);
  static_assert(sizeof(TrainerKnowsOption<known, O...>) > 0);
  static_assert(sizeof(TrainerInputsFirst<ordered, O...>) > 0);
  static_assert(sizeof(TrainerHasOptimizer<optimized, O...>) > 0);
  static_assert(sizeof(TrainerOptionOnce<options_differ<O...>(), O...>) > 0);
};

template <class Checkpoint>
inline constexpr i64 bytes_of_budget = -1;
template <i64 Bytes>
inline constexpr i64 bytes_of_budget<checkpoint::Budget<Bytes>> = Bytes;

// A trainer's options, sorted into their kinds.
template <class... O>
struct Options {
  // False if CheckOptions has something to say.
  static constexpr bool ok =
      options_differ<O...>() && option_count<OptionKind::optimizer, O...> == 1 &&
      (!optim::is_misspelt<O> && ... && true) && (option_holds<O>() && ... && true) &&
      option_count<OptionKind::input, O...> + option_count<OptionKind::unknown, O...> == 0;

  using given_optimizer = find_option<OptionKind::optimizer, optim::PlainSGD, O...>;
  using Optimizer = typename optim::AsGroups<given_optimizer>::type;
  using Precision = find_option<OptionKind::precision, precision::F32, O...>;
  static_assert(
      sizeof(precision::PrecisionIsNamed<!std::is_same_v<Precision, precision::Misnamed>, Precision>) > 0);
  using Clip = find_option<OptionKind::clip, clip::None, O...>;
  // One that asks for the loss several times a step (LBFGS) finds the gradient where others accumulate it.
  static constexpr bool closure = requires { Optimizer::base::closure; };
  static constexpr bool accumulates = option_count<OptionKind::accumulate, O...> > 0;
  using Checkpoint = find_option<OptionKind::checkpoint, checkpoint::None, O...>;
  static constexpr i64 budget = bytes_of_budget<Checkpoint>;  // -1: none
  // The same with C in the place of the budget.
  template <class C>
  using with_checkpoint = Options<std::conditional_t<option_kind<O>() == OptionKind::checkpoint, C, O>...>;
  // Whether the option itself says what is computed again.
  static constexpr bool recomputes = !std::is_same_v<Checkpoint, checkpoint::None> && budget < 0;
  // What is kept of a block (transforms/kept_values.hpp); null: everything.
  static constexpr auto keeps() -> bool (*)(const ir::Graph&, int) {
    if constexpr (recomputes)
      return &Checkpoint::keeps;
    else
      return nullptr;
  }
  using Accumulation = find_option<OptionKind::accumulate, Accumulate<closure ? 2 : 1>, O...>;
  using Comm = find_option<OptionKind::comm, comm::None, O...>;
  static constexpr bool distributed = !std::is_same_v<Comm, comm::None>;
  static constexpr comm::Reduction reduction = [] {
    if constexpr (distributed)
      return Comm::reduction;
    else
      return comm::Reduction{};
  }();
  // Whether the ranks share the optimiser's state out.
  static constexpr bool sharded = requires { Comm::stage; };
  // And the gradients.
  static constexpr bool shards_gradients = [] {
    if constexpr (sharded)
      return Comm::stage > 1;
    else
      return false;
  }();
  // And the parameters.
  static constexpr bool shards_parameters = [] {
    if constexpr (sharded)
      return Comm::stage > 2;
    else
      return false;
  }();
  using Probes = find_option<OptionKind::probes, ProbeNames<>, O...>;
  using Mode = find_option<OptionKind::mode, mode::Train, O...>;
  static constexpr bool training = std::is_same_v<Mode, mode::Train>;
  static constexpr Checks checks = given_checks<O...>;
  using Passes = compiler::user_passes<O...>;
};

}  // namespace train
}  // namespace WEFT_NAMESPACE
