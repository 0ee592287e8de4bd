#pragma once
// AnyTrainer<In...>: any trainer with these inputs under a type that can be written down. Law: this header
// knows no model, device or kernel, so a plain .cpp can train what a .cu built.
//
//   AnyTrainer<Tensor<f32, Shape<32, 64>>, Tensor<i32, Shape<32>>> make();   // defined where the model is

#include <array>
#include <string>
#include <vector>

#include "weft/exec/any_function.hpp"
#include "weft/train/checkpoint_report.hpp"

namespace weft {

template <class... In>
class AnyTrainer {
  // A loader of any type, as a checkpoint sees it.
  struct Position {
    i64 epoch = 0, batch = 0;
  };
  struct AnyLoader {
    virtual ~AnyLoader() = default;
    virtual Position position() const = 0;
    virtual void seek(Position at) = 0;
  };
  template <class Loader>
  struct HeldLoader final : AnyLoader {
    explicit HeldLoader(Loader& l) : loader(l) {}
    Position position() const override {
      const auto at = loader.position();
      return {at.epoch, at.batch};
    }
    void seek(Position to) override {
      if constexpr (!std::is_const_v<Loader>) {
        auto at = loader.position();
        at.epoch = to.epoch, at.batch = to.batch;
        loader.seek(at);
      }
    }
    Loader& loader;
  };

  struct Base {
    virtual ~Base() = default;
    virtual i64 step(const void* const* in) = 0;
    virtual f32 loss(i64 step) const = 0;
    virtual i64 steps() const = 0;
    virtual void set_lr(f32 lr) = 0;
    virtual f32 lr() const = 0;
    virtual void save(const std::string& path, const AnyLoader* loader) const = 0;
    virtual CheckpointReport load(const std::string& path, AnyLoader* loader) = 0;
    virtual void save_model(const std::string& path) = 0;
    virtual void load_model(const std::string& path) = 0;
    virtual i64 workspace_bytes() const = 0;
    virtual i64 state_bytes() const = 0;
  };

 public:
  // A step's loss: reading it waits for the step. One older than the last 64 is an Error ("train/old-loss").
  class Loss {
   public:
    f32 value() const { return trainer_->loss(step_); }
    operator f32() const { return value(); }

   private:
    friend class AnyTrainer;
    Loss(const Base* trainer, i64 step) : trainer_(trainer), step_(step) {}
    const Base* trainer_;
    i64 step_;
  };

  // Takes over what make_trainer() returned, or, from a function that returns it, builds it in place.
  template <class T>
  requires requires { typename T::InputTypes; } || std::is_invocable_v<T> AnyTrainer(T trainer) {
    if constexpr (requires { typename T::InputTypes; }) {
      hold<T>([&]() -> T&& { return std::move(trainer); });
    } else {
      hold<std::invoke_result_t<T>>(trainer);
    }
  }

  template <class... A>
  Loss step(const A&... batch) {
    static_assert(sizeof...(A) == sizeof...(In), "step: one argument an input");
    int number = 0;
    const std::array<const void*, sizeof...(In)> from{
        exec::argument<exec::InputLike<In>>(batch, number++)...};
    return Loss(held_.get(), held_->step(from.data()));
  }
  i64 steps() const { return held_->steps(); }
  void set_lr(f32 lr) { held_->set_lr(lr); }
  f32 lr() const { return held_->lr(); }
  // The trainer with everything that the next step depends on.
  void save(const std::string& path) const { held_->save(path, nullptr); }
  CheckpointReport load(const std::string& path) { return held_->load(path, nullptr); }
  // The same with a loader's position.
  template <class Loader>
  void save(const std::string& path, const Loader& loader) const {
    const HeldLoader<const Loader> held(loader);
    held_->save(path, &held);
  }
  template <class Loader>
  CheckpointReport load(const std::string& path, Loader& loader) {
    HeldLoader<Loader> held(loader);
    return held_->load(path, &held);
  }
  // The parameters and buffers alone.
  void save_model(const std::string& path) { held_->save_model(path); }
  void load_model(const std::string& path) { held_->load_model(path); }
  i64 workspace_bytes() const { return held_->workspace_bytes(); }
  i64 state_bytes() const { return held_->state_bytes(); }

 private:
  template <class T>
  struct Holder final : Base {
    template <class Make>
    explicit Holder(Make& make) : trainer(make()) {}
    i64 step(const void* const* in) override { return step(in, std::index_sequence_for<In...>{}); }
    template <std::size_t... I>
    i64 step(const void* const* in, std::index_sequence<I...>) {
      const i64 number = trainer.steps();
      const auto handle = trainer.step(static_cast<const typename exec::InputLike<In>::dtype*>(in[I])...);
      if (static_cast<i64>(losses.size()) < kept)
        losses.push_back(handle);
      else
        losses[static_cast<std::size_t>(count % kept)] = handle;
      if (count == 0) first = number;
      ++count;
      return number;
    }
    f32 loss(i64 number) const override {
      const i64 k = number - first;
      if (k < 0 || k >= count || k + kept < count)
        throw Error("train/old-loss", "the loss of step " + std::to_string(number) + " is no longer kept");
      return losses[static_cast<std::size_t>(k % kept)];
    }
    i64 steps() const override { return trainer.steps(); }
    void set_lr(f32 lr) override { trainer.set_lr(lr); }
    f32 lr() const override { return trainer.lr(); }
    void save(const std::string& path, const AnyLoader* loader) const override {
      loader != nullptr ? trainer.save(path, *loader) : trainer.save(path);
    }
    CheckpointReport load(const std::string& path, AnyLoader* loader) override {
      CheckpointReport report = loader != nullptr ? trainer.load(path, *loader) : trainer.load(path);
      losses.clear();
      count = 0;
      return report;
    }
    void save_model(const std::string& path) override { trainer.model().save(path); }
    void load_model(const std::string& path) override { trainer.model().load(path); }
    i64 workspace_bytes() const override { return T::workspace_bytes(); }
    i64 state_bytes() const override { return T::state_bytes(); }

    static constexpr i64 kept = 64;
    T trainer;
    std::vector<decltype(std::declval<T&>().step(
        static_cast<const typename exec::InputLike<In>::dtype*>(nullptr)...))>
        losses;
    i64 first = 0, count = 0;
  };

  template <class T, class Make>
  void hold(Make make) {
    constexpr bool fits = std::is_same_v<typename exec::AsInputs<typename T::InputTypes>::types,
                                         std::tuple<exec::InputLike<In>...>>;
    static_assert(fits, "AnyTrainer: the trainer has other inputs (number, dtypes or shapes)");
    if constexpr (fits) held_ = exec::Owned<Base>(new Holder<T>(make));
  }

  exec::Owned<Base> held_;
};

}  // namespace weft
