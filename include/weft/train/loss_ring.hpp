#pragma once
// The last 64 losses of a trainer, on their way from the device to the host. Law: taking one never waits;
// reading one waits for its step alone.

#include <string>
#include <tuple>

#include "weft/core/diagnose.hpp"
#include "weft/core/error.hpp"
#include "weft/core/shared.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::train {

class LossRing : public Counted {
 public:
  static constexpr i64 size = 64;

  // The n-th loss that was taken, counted from 0: those of a trainer count on where load() sets its steps
  // back. Throws "train/old-loss" for one that is no longer kept.
  f32 read(i64 n) const {
    if (n < 0 || n >= count_ || n + size < count_)
      throw Error("train/old-loss", "the loss of a step that is no longer kept: the ring holds the last " +
                                        std::to_string(size) + ": read it earlier, loss.value()");
    return wait(static_cast<int>(n % size));
  }
  // How many were taken.
  i64 count() const { return count_; }

 protected:
  int open() { return static_cast<int>(count_++ % size); }

 private:
  virtual f32 wait(int slot) const = 0;
  i64 count_ = 0;
};

// A device whose programs have ended when run() returns.
template <class Device>
class DeviceLossRing final : public LossRing {
 public:
  explicit DeviceLossRing(const Device&) {}
  // Takes result 0, an f32, of the run that was enqueued last.
  template <class Program>
  void take(const Program& program) {
    program.read_output(0, &value_[open()], sizeof(f32));
  }

 private:
  f32 wait(int slot) const override { return value_[slot]; }
  f32 value_[size]{};
};

WEFT_REFUSAL(LossIsStepped,
             "the loss of a step is a number, loss.item(): step(x, y) has made the backward pass and the "
             "update: leave "
             "backward(), cpu() and to() out");
WEFT_REFUSAL(StepIsLoss,
             "step(x, y) gives the loss alone: a metric is trainer.evaluate(metric, data), or of each batch "
             "trainer.get_probe<\"hits\">() of a probe<\"hits\">(accuracy(m(x), y)) in the loss");

}  // namespace WEFT_NAMESPACE::train

namespace WEFT_NAMESPACE {

// The loss of a step; reading it waits for the step. One older than the last 64 is an Error
// ("train/old-loss").
class StepLoss {
 public:
  StepLoss(Shared<const train::LossRing> ring, i64 number) : ring_(std::move(ring)), number_(number) {}
  // One that is known.
  StepLoss(f32 value) : value_(value) {}
  // The number, as the conversion gives it.
  f32 value() const { return ring_ ? ring_->read(number_) : value_; }
  operator f32() const { return value(); }
  f32 item() const { return value(); }
  template <class T>  // as libtorch's
  T item() const {
    return static_cast<T>(value());
  }
  f32 detach() const { return value(); }
  // Refusals.
#define WEFT_MEMBER(name) \
  WEFT_REFUSED_MEMBER(name, AfterRefusal{}, train::LossIsStepped, spelled::name, StepLoss)
  WEFT_MEMBER(backward)
  WEFT_MEMBER(cpu)
  WEFT_MEMBER(to)
  WEFT_MEMBER(numpy)
  WEFT_MEMBER(tolist)
#undef WEFT_MEMBER

 private:
  Shared<const train::LossRing> ring_;
  i64 number_ = 0;
  f32 value_ = 0;
};

// Of auto [loss, hits] = trainer.step(x, y), refused.
template <std::size_t K>
AfterRefusal get(const StepLoss&) {
  static_assert(sizeof(train::StepIsLoss<(K > 99), StepLoss>) > 0);
  return {};
}

}  // namespace WEFT_NAMESPACE

template <>
struct std::tuple_size<weft::StepLoss> : std::integral_constant<std::size_t, 2> {};
template <std::size_t K>
struct std::tuple_element<K, weft::StepLoss> {
  using type = weft::AfterRefusal;
};
