#pragma once
// AnyTrainer<In...>: any trainer with these inputs under a type that can be written down. Law: this header
// knows no model, device or kernel, so a plain .cpp can train what a .cu built.
//
//   AnyTrainer<Tensor<f32, Shape<32, 64>>, Tensor<i32, Shape<32>>> make();   // defined where the model is

#include <array>
#include <optional>
#include <string>

#include "weft/exec/any_function.hpp"
#include "weft/train/checkpoint_report.hpp"
#include "weft/train/loss_ring.hpp"
#include "weft/train/saving.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(
    InputsAreTrainers,
    "AnyTrainer<In...> holds a trainer of these inputs: as many, of the same dtypes and shapes, in the "
    "order of make_trainer's in<...>, AnyTrainer<Tensor<f32, Shape<32, 8>>, Tensor<i32, Shape<32>>>");

namespace train {
// A trainer, or a function that makes one.
template <class T>
concept GivesTrainer = requires {
  typename T::InputTypes;
}
|| std::is_invocable_v<T>;
}  // namespace train

template <class... In>
class AnyTrainer {
  using Given = std::array<exec::Given, sizeof...(In)>;
  // A loader of any type, as a checkpoint sees it.
  struct Position {
    i64 epoch = 0, batch = 0;
  };
  struct AnyLoader {
    virtual ~AnyLoader() = default;
    virtual Position position() const = 0;
    virtual std::optional<u64> seed() const = 0;  // of its orders; none where it has none
    virtual void seek(Position at) = 0;
    virtual void seek(Position at, u64 seed) = 0;
  };
  template <class Loader>
  struct HeldLoader final : AnyLoader {
    explicit HeldLoader(Loader& l) : loader(l) {}
    Position position() const override {
      const auto at = loader.position();
      return {at.epoch, at.batch};
    }
    std::optional<u64> seed() const override {
      if constexpr (requires { loader.seed(); })
        return loader.seed();
      else
        return std::nullopt;
    }
    void seek(Position to) override {
      if constexpr (!std::is_const_v<Loader>) loader.seek(place(to));
    }
    void seek(Position to, u64 with) override {
      if constexpr (requires { loader.seek(loader.position(), with); })
        loader.seek(place(to), with);
      else
        seek(to);
    }
    auto place(Position to) const {
      auto at = loader.position();
      at.epoch = to.epoch, at.batch = to.batch;
      return at;
    }
    Loader& loader;
  };

  struct Base : Counted {
    virtual StepLoss step(const Given& batch) = 0;
    virtual i64 steps() const = 0;
    virtual void set_lr(f32 lr) = 0;
    virtual f32 lr() const = 0;
    virtual void save(const std::string& path, const AnyLoader* loader) const = 0;
    virtual Saving save_in_background(const std::string& path, const AnyLoader* loader) const = 0;
    virtual CheckpointReport load(const std::string& path, AnyLoader* loader) = 0;
    virtual void save_model(const std::string& path) = 0;
    virtual void load_model(const std::string& path) = 0;
    virtual i64 workspace_bytes() const = 0;
    virtual i64 state_bytes() const = 0;
  };

 public:
  using Loss = StepLoss;

  // Takes over what make_trainer() returned, or, from a function that returns it, builds it in place.
  template <train::GivesTrainer T>
  AnyTrainer(T trainer) {
    if constexpr (requires { typename T::InputTypes; }) {
      hold<T>([&]() -> T&& { return std::move(trainer); });
    } else {
      hold<std::invoke_result_t<T>>(trainer);
    }
  }

  // One training step on a batch in host memory.
  template <class... A>
  Loss step(const A&... batch) {
    constexpr bool fits = sizeof...(A) == sizeof...(In);
    static_assert(sizeof(exec::ArgumentCount<fits, GivenSize<sizeof...(A)>, WantedSize<sizeof...(In)>>) > 0);
    if constexpr (fits)
      return held().step(given(std::index_sequence_for<In...>{}, batch...));
    else
      return Loss(0);
  }
  // Calls of step so far.
  i64 steps() const { return held().steps(); }
  // The learning rate from now on.
  void set_lr(f32 lr) { held().set_lr(lr); }
  // The rate of the next update.
  f32 lr() const { return held().lr(); }
  // The trainer with everything that the next step depends on.
  void save(const std::string& path) const { held().save(path, nullptr); }
  // The same while training goes on.
  Saving save_in_background(const std::string& path) const {
    return held().save_in_background(path, nullptr);
  }
  CheckpointReport load(const std::string& path) { return held().load(path, nullptr); }
  // The same with a loader's position.
  template <class Loader>
  void save(const std::string& path, const Loader& loader) const {
    const HeldLoader<const Loader> place(loader);
    held().save(path, &place);
  }
  template <class Loader>
  Saving save_in_background(const std::string& path, const Loader& loader) const {
    const HeldLoader<const Loader> place(loader);
    return held().save_in_background(path, &place);
  }
  template <class Loader>
  CheckpointReport load(const std::string& path, Loader& loader) {
    HeldLoader<Loader> place(loader);
    return held().load(path, &place);
  }
  // The parameters and buffers alone.
  void save_model(const std::string& path) { held().save_model(path); }
  void load_model(const std::string& path) { held().load_model(path); }
  i64 workspace_bytes() const { return held().workspace_bytes(); }
  i64 state_bytes() const { return held().state_bytes(); }

 private:
  template <class T>
  struct Holder final : Base {
    template <class Make>
    explicit Holder(Make& make) : trainer(make()) {}
    // One training step on a batch in host memory.
    StepLoss step(const Given& batch) override { return trainer.step_given(batch); }
    i64 steps() const override { return trainer.steps(); }
    void set_lr(f32 lr) override { trainer.set_lr(lr); }
    f32 lr() const override { return trainer.lr(); }
    void save(const std::string& path, const AnyLoader* loader) const override {
      loader != nullptr ? trainer.save(path, *loader) : trainer.save(path);
    }
    Saving save_in_background(const std::string& path, const AnyLoader* loader) const override {
      return loader != nullptr ? trainer.save_in_background(path, *loader) : trainer.save_in_background(path);
    }
    CheckpointReport load(const std::string& path, AnyLoader* loader) override {
      return loader != nullptr ? trainer.load(path, *loader) : trainer.load(path);
    }
    void save_model(const std::string& path) override { trainer.model().save(path); }
    void load_model(const std::string& path) override { trainer.load_model(path); }
    i64 workspace_bytes() const override { return T::workspace_bytes(); }
    i64 state_bytes() const override { return T::state_bytes(); }

    T trainer;
  };

  template <class T, class Make>
  void hold(Make make) {
    constexpr bool fits = std::is_same_v<typename exec::AsInputs<typename T::InputTypes>::types,
                                         std::tuple<exec::InputLike<In>...>>;
    static_assert(sizeof(InputsAreTrainers<fits, T, In...>) > 0);
    if constexpr (fits) held_ = Shared<Base>(new Holder<T>(make));
  }

  template <std::size_t... K, class... A>
  static Given given(std::index_sequence<K...>, const A&... batch) {
    return {exec::argument<exec::InputLike<In>, static_cast<int>(K), Cpu>(batch)...};
  }
  Base& held() const {
    if (!held_) throw Error("train/moved", "a trainer was used that had been moved from");
    return *held_;
  }

  Shared<Base> held_;
};

// AnyTrainer any = std::move(trainer): of a trainer's inputs.
template <template <class...> class Trained, class M, class F, class Device, class O, class... In>
requires train::GivesTrainer<Trained<M, F, Device, O, In...>> AnyTrainer(Trained<M, F, Device, O, In...>)
->AnyTrainer<exec::HostTensor<In>...>;

}  // namespace WEFT_NAMESPACE
