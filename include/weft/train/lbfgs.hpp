#pragma once
// make_trainer with optim::LBFGS: a step evaluates the loss and its gradient several times, each evaluation
// one run of the compiled program; the search between them is the host's (optim/lbfgs.hpp). Random numbers,
// such as dropout's, are the same in all evaluations of a step.

#include "weft/train/checkpoint_shards.hpp"
#include "weft/train/lbfgs_checkpoint.hpp"
#include "weft/train/make_trainer.hpp"
#include "weft/train/padding.hpp"
#include "weft/train/ranks.hpp"

namespace WEFT_NAMESPACE::train {

// Causes of an error, with the options that were given.
WEFT_REFUSAL(LbfgsHasNoGroups,
             "LBFGS: parameter groups do not go with it, it moves all parameters along one direction");
WEFT_REFUSAL(LbfgsTakesOption,
             "LBFGS: clipping, accumulate<N>, precision::f16, precision::f8 and comm::ddp do not go with it: "
             "its search needs the gradient of the loss as it is");

WEFT_REFUSAL(LbfgsMovesF32, "LBFGS: trained parameters must be f32");

template <class M, class F, class Device, class O, class... I>
class LbfgsTrainer : public Checkpointed<LbfgsTrainer<M, F, Device, O, I...>>, public RefusedMembers<M> {
  static_assert(sizeof(LbfgsMovesF32<parameter_type<M>() == DType::f32, M>) > 0);
  using Code = exec::code_of<Device, compiled_step<M, F, O, false, I...>>;
  using Instance = exec::Instance<Device, Code>;
  using Program = typename Instance::Program;
  using Inputs = exec::InputTable<ForwardGraph<M, F, O, I...>, I...>;
  using Memory = exec::DeviceMemory<Device>;
  static constexpr OptimizerLayout layout = optimizer_layout<M, O>;
  static constexpr bool plain = std::is_same_v<typename O::Clip, clip::None> && !O::accumulates &&
                                !O::Precision::scaled && !O::distributed &&
                                !precision::is_f8<typename O::Precision>;
  static_assert(
      sizeof(LbfgsTakesOption<plain, typename O::Clip, typename O::Accumulation, typename O::Precision>) > 0);

 public:
  using InputTypes = std::tuple<I...>;

  template <class... Given>
  explicit LbfgsTrainer(weft::Model<M, Device>&& model, const Given&... given)
      : model_(std::move(model)),
        seed_(exec::given_or_fresh_seed(SeedUse::model, given...)),
        search_(get_option<optim::LBFGS>(given...)) {
    const lend lent = get_option<lend>(given...);
    const Device& device = model_.device();
    state_ = exec::allocate(device, layout.bytes, lent.optimizer);
    instance_ = Shared<Instance>(new Instance(device, model_.states(), state_, lent.workspace));
  }

  // At most max_iter iterations on one batch; returns the loss before them.
  template <class... A>
  f32 step(const A&... batch) {
    constexpr bool fits = sizeof...(A) == sizeof...(I);
    static_assert(sizeof(exec::ArgumentCount<fits, GivenSize<sizeof...(A)>, WantedSize<sizeof...(I)>>) > 0);
    if constexpr (fits)
      return step_given(exec::given_arguments<Device, I...>(batch...));
    else
      return 0;
  }
  // The same with arguments that are checked, in host memory.
  f32 step_given(const std::array<exec::Given, sizeof...(I)>& batch) {
    check_padding<Inputs, exec::common_rows<I...>()>(batch);
    if (!instance_) throw Error("train/moved", "a trainer was used that had been moved from");
    const typename Instance::Call call(*instance_);
    Program& program = instance_->program();
    for (int k = 0; k < Inputs::count; ++k)
      instance_->bind(Inputs::table.row[k], k, batch[static_cast<std::size_t>(k)]);
    constexpr i64 bytes = nn::state_table<M>.trained_bytes;
    std::vector<f32> x(static_cast<std::size_t>(bytes) / sizeof(f32));
    Memory::to_host(model_.device(), x.data(), model_.state(), bytes);
    const std::vector<f32> before = x;
    const auto evaluate = [&](const std::vector<f32>& at, std::vector<f32>& gradient) {
      Memory::from_host(model_.device(), model_.state(), at.data(), bytes);
      Memory::zero(model_.device(), state_->data(),
                   layout.bytes);  // the program adds its gradient to what is there
      program.set_random(seed_, static_cast<u64>(steps_));
      instance_->run();
      f32 value = 0;
      program.read_output(0, &value, sizeof(f32));
      Memory::to_host(model_.device(), gradient.data(), state_->data() + layout.accumulated, bytes);
      return static_cast<f64>(value);
    };
    f64 least = 0;
    try {
      least = search_.step(x, evaluate);
    } catch (...) {  // a check's Error: the model is where it was
      Memory::from_host(model_.device(), model_.state(), before.data(), bytes);
      throw;
    }
    Memory::from_host(model_.device(), model_.state(), x.data(), bytes);
    ++steps_;
    return static_cast<f32>(least);
  }

  weft::Model<M, Device>& model() { return model_; }
  const weft::Model<M, Device>& model() const { return model_; }
  // As Trainer's.
  LoadReport load_model(const std::string& path) { return model_.load(path); }
  i64 steps() const { return steps_; }
  void set_lr(f32 lr) { search_.set_lr(lr); }
  f32 lr() const { return search_.options().lr; }
  // How often the loss was evaluated so far.
  i64 evaluations() const { return search_.evaluations(); }
  // As a Trainer's: what a marked value was in the last evaluation.
  template <FixedString Name, int Nth = 0>
  auto get_probe() const {
    return exec::probe_view<ForwardStage<M, F, O, I...>, typename O::Probes, Name, Nth>(*instance_);
  }
  static constexpr i64 workspace_bytes() { return Code::workspace_bytes(); }
  // What a caller who lends memory must lend, as a Trainer's.
  static constexpr i64 memory_bytes() { return Program::memory_bytes(); }
  static constexpr i64 optimizer_bytes() { return layout.bytes; }
  static constexpr i64 state_bytes() { return nn::state_table<M>.bytes + optimizer_bytes(); }
  static constexpr int launches() { return Code::launches(); }

 private:
  friend class Checkpointed<LbfgsTrainer>;

  Shared<SaveJob> save_job(const std::string& path, CheckpointCounts counts) const {
    counts.seed = seed_;
    counts.calls = counts.applied = steps_;
    const Shared<SaveJob> job(new RanksSaveJob(Ranks<comm::None>(), Ranks<comm::None>()));
    job->prepare([&] {
      const CheckpointForm form = checkpoint_form();
      const LbfgsTensors search(search_.state());
      i64 bytes = form.state.bytes;
      for (const io::SafetensorsTensor& tensor : search.list) bytes += bytes_of(tensor);
      std::vector<std::byte> block(static_cast<std::size_t>(bytes));
      Memory::to_host(model_.device(), block.data(), model_.state(), form.model_bytes);
      put_number(block.data(), form.updates, static_cast<i32>(steps_));
      put_number(block.data(), form.scale, LossScale::first);
      job->own = {path, checkpoint_metadata(form, counts), exec::state_tensors(form.state, block.data()), {}};
      std::byte* to = block.data() + form.state.bytes;
      for (const io::SafetensorsTensor& tensor : search.list) {
        std::memcpy(to, tensor.data, static_cast<std::size_t>(bytes_of(tensor)));
        job->own.tensors.push_back({tensor.name, tensor.dtype, tensor.shape, to});
        to += bytes_of(tensor);
      }
      job->own.memory = std::move(block);
      if (io::is_safetensors_index(path)) index_one_file(*job, path, counts);
    });
    return job;
  }
  template <class Seek>
  CheckpointReport load_checkpoint(const std::string& path, const Seek& seek) {
    const io::Safetensors file = io::open_safetensors(path);
    const CheckpointForm form = checkpoint_form();
    const CheckpointReader checkpoint(file, path, form,
                                      {std::begin(LbfgsTensors::names), std::end(LbfgsTensors::names)});
    constexpr i64 size = nn::state_table<M>.trained_bytes / static_cast<i64>(sizeof(f32));
    optim::LbfgsSearch::State search = read_lbfgs(file, checkpoint, size, search_.options().history_size);
    seek(checkpoint);
    Memory::from_host(model_.device(), model_.state(), checkpoint.block().data(), form.model_bytes);
    search_.restore(std::move(search));
    steps_ = checkpoint.counts().calls;
    seed_ = checkpoint.counts().seed;
    return checkpoint.report();
  }
  // The counts alone lie in the block behind the model.
  static CheckpointForm checkpoint_form() { return make_checkpoint_form<M, O>(nn::state_alignment); }

  weft::Model<M, Device> model_;
  u64 seed_ = 0;
  optim::LbfgsSearch search_;
  Shared<exec::DeviceStorage<Device>> state_;
  Shared<Instance> instance_;
  i64 steps_ = 0;
};

template <class... R>
struct TrainerFor<optim::Groups<optim::LBFGS, R...>> {
  static_assert(sizeof(LbfgsHasNoGroups<sizeof...(R) == 0, R...>) > 0);
  static constexpr bool is_included = true;
  template <class M, class F, class Device, class O, class... I>
  using type = LbfgsTrainer<M, F, Device, O, I...>;
};

}  // namespace WEFT_NAMESPACE::train
