#pragma once
// A program in use: the state it works on, which others share, its random numbers, and what callers hold of
// its results. Law: a call sees its arguments as they were when it began, whatever memory they lie in, and
// changes no result that is still held; one thread at a time.

#include "weft/exec/checker.hpp"
#include "weft/exec/inputs.hpp"
#include "weft/exec/memory_timeline.hpp"
#include "weft/exec/profile.hpp"
#include "weft/exec/results.hpp"
#include "weft/exec/tensor.hpp"
#include "weft/exec/trace.hpp"
#include "weft/targets/launch_list.hpp"

namespace WEFT_NAMESPACE::exec {

// The program class of a device. Every one has the interface of HostProgram.
template <class Device, class P>
struct ProgramOf;

// What watches a program: its own class, or the one that looks between kernels.
template <class Program, class Source>
struct CheckerOf {
  using type = Checker<Source>;
};
template <class Program, class Source>
requires requires { typename Program::Checker; }
struct CheckerOf<Program, Source> {
  using type = typename Program::Checker;
};

WEFT_REFUSAL(KernelsAreTimed,
             "profile() times kernels, and this device has none: compile for Cpu{} or Cuda{0}");

WEFT_REFUSAL(EventsAreOfGpu,
             "after() and done() are of a GPU's stream, and on this device a call has ended when it returns: "
             "compile for Cuda{0}");
// Whether a program's work is enqueued in a stream.
template <class Program>
concept HasStream = requires(Program& p) {
  p.done();
};

// What is told of P, which `Source` is compiled to: its plan behind the user's passes and as its device has
// it; of a device without kernels that of Cpu.
template <class Source, class P>
struct Shown {
  static constexpr bool has_kernels = requires { P::image; };
  using source = std::conditional_t<has_kernels, typename P::source, Source>;
  static compiler::Module module() { return compiler::plan_pruned(program_graph<source>()); }
  static Explanation explanation() { return explain_module(module(), &state_name<source>); }
  // Writes a page; throws the file's errors.
  static void save_memory_timeline(const std::string& path) {
    io::write_file(path, to_html(memory_timeline(module(), &state_name<source>)));
  }
};

template <class Device, class P>
class Instance final : public Counted {
 public:
  using Program = typename ProgramOf<Device, P>::type;
  using State = Shared<DeviceStorage<Device>>;

  // `workspace`: caller-provided memory, or null.
  // `communicator`: of a program of several ranks, which outlives it; `shards`: what this rank has of
  // `states` and `optimizer`.
  Instance(const Device& device, HeldStates<Device> states, State optimizer, void* workspace,
           comm::Communicator* communicator = nullptr, const Shards& shards = {})
      : states_(std::move(states)),
        optimizer_(std::move(optimizer)),
        group_(states_.connect_group != nullptr ? states_.connect_group() : Shared<comm::Communicator>()),
        program_(new Program(device, {.model = states_.view(),
                                      .optimizer = optimizer_ ? optimizer_->data() : nullptr,
                                      .workspace = static_cast<std::byte*>(workspace),
                                      .communicator = communicator,
                                      .group = group_.get(),
                                      .shards = shards})),
        results_(device, P::outputs) {}
  // Where a result that is still held finds no memory, the program's is never given back.
  ~Instance() override {
    try {
      results_.move_held(*program_);
      delete program_;
    } catch (...) {
    }
  }

  // A call by one thread, which nothing else may enter until it ends. Throws "call/threads".
  class Call {
   public:
    explicit Call(Instance& instance) : instance_(instance) {
      if (__atomic_exchange_n(&instance.busy_, true, __ATOMIC_ACQUIRE))
        throw Error("call/threads",
                    "a function or trainer was called by two threads at once: give each thread its own");
      try {
        instance.results_.move_held(*instance.program_);
      } catch (...) {
        end();
        throw;
      }
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() { end(); }

   private:
    void end() { __atomic_store_n(&instance_.busy_, false, __ATOMIC_RELEASE); }
    Instance& instance_;
  };

  // Runs the program; throws "check/finite" or "check/indices" where that is asked for and a kernel is at
  // fault.
  void run() {
    if constexpr (checks.any()) {
      if (!checker_) checker_ = Shared<SharedChecker>(new SharedChecker);
      program_->run_watched(checker_->checker);
    } else {
      program_->run();
    }
  }
  // Runs it launch by launch, of which `times` are told; without the checks.
  void run_timed(StepTimes& times) {
    if constexpr (requires { program_->run_timed(times, steady_seconds); }) {
      program_->run_timed(times, steady_seconds);
    } else if constexpr (requires { program_->run_timed(times, steady_seconds, names_); }) {
      if (names_.empty()) names_ = step_names(Shown<typename P::source, P>::explanation());
      program_->run_timed(times, steady_seconds, names_);
    } else
      static_assert(sizeof(KernelsAreTimed<sizeof(Device) == 0, Device>) > 0);
  }
  // What run_timed measured, as text.
  static std::string profile_text(const StepTimes& times, const Roofline& machine) {
    return to_text(Shown<typename P::source, P>::explanation(), times, machine);
  }
  // Before a run: input `number`, of which `info` says what it holds.
  void bind(const InputInfo& info, int number, const Given& given) {
    const void* const data = checked_input(info, number, given, padded_[number]);
    if constexpr (HasStream<Program>)
      program_->bind_input(number, data, given.memory);
    else
      program_->bind_input(number, data);
  }

  Program& program() { return *program_; }
  const Program& program() const { return *program_; }

  // Output K, a tensor of T with shape S, as the caller may keep it.
  template <class T, class S, int K>
  auto result() {
    return TensorView<T, S, tensor_device<Device>>(
        results_.give(*program_, K, S::size * static_cast<i64>(sizeof(T)), P::output_in_state(K)));
  }

 private:
  static constexpr Checks checks = checks_of<typename P::source>();
  struct SharedChecker final : Counted {
    typename CheckerOf<Program, typename P::source>::type checker;
  };
  struct None {};

  HeldStates<Device> states_;
  State optimizer_;
  Shared<comm::Communicator> group_;  // of this program alone, which numbers its requests
  Program* program_;
  HeldResults<Device> results_;
  std::vector<std::byte> padded_[at_least_one(P::inputs)];
  std::vector<StepName> names_;  // once it is profiled, where a tool is shown them
  std::conditional_t<checks.any(), Shared<SharedChecker>, None> checker_;
  bool busy_ = false;
};

}  // namespace WEFT_NAMESPACE::exec
