#pragma once
// The results of a program that callers hold. Law: a result lies in the program's memory, without a copy,
// until the program runs again; one that is still held then is moved to memory of its own before the run, and
// so is one that outlives the program.

#include "weft/core/list.hpp"
#include "weft/targets/memory.hpp"

namespace WEFT_NAMESPACE::exec {

// Where a result lies: in its program's memory, or in some of its own.
template <class Device>
class ResultStorage final : public Storage {
 public:
  explicit ResultStorage(std::byte* in_program) {
    data_ = in_program;
    this->template make_order<Device>();
  }
  void move_to(Shared<DeviceStorage<Device>> memory) {
    own_ = std::move(memory);
    own_->ordered_as(*this);
    data_ = own_->data();
  }

 private:
  Shared<DeviceStorage<Device>> own_;
};

// Of one program with `outputs` results.
template <class Device>
class HeldResults {
 public:
  HeldResults(const Device& device, int outputs) : device_(device), results_(outputs) {}

  // What the caller is given of output k. One that lies in state, which other programs write, moves at once.
  template <class Program>
  Shared<Storage> give(Program& program, int k, i64 bytes, bool in_state) {
    Result& r = results_[k];
    if (!r.current) {
      r.current = Shared<ResultStorage<Device>>(new ResultStorage<Device>(program.output(k)));
      r.bytes = bytes;
    }
    Shared<Storage> given(r.current);
    after_write(program, *given);
    if (in_state) move(program, k);
    return given;
  }

  // Before a run, and before the program is destroyed.
  template <class Program>
  void move_held(Program& program) {
    for (int k = 0; k < results_.size(); ++k) {
      if (!results_[k].current) continue;
      before_write(program, *results_[k].current);
      if (!results_[k].current->has_one_owner()) move(program, k);
    }
  }

 private:
  // Memory that moved results gave back is used again: h = f(h) allocates in its first calls alone.
  static constexpr int spares = 2;
  struct Result {
    Shared<ResultStorage<Device>> current;
    Shared<DeviceStorage<Device>> spare[spares];
    i64 bytes = 0;
    int oldest = 0;
  };

  // Of memory that streams of a GPU work on.
  template <class Program>
  static void before_write(Program& program, const Storage& memory) {
    if constexpr (requires { program.before_write(memory); }) program.before_write(memory);
  }
  template <class Program>
  static void after_write(Program& program, const Storage& memory) {
    if constexpr (requires { program.after_write(memory); }) program.after_write(memory);
  }

  template <class Program>
  void move(Program& program, int k) {
    Result& r = results_[k];
    int place = -1;
    for (int i = 0; i < spares; ++i)
      if (r.spare[i] && r.spare[i]->has_one_owner()) place = i;
    if (place < 0) {
      place = r.oldest;
      r.oldest = (r.oldest + 1) % spares;
      r.spare[place] = allocate(device_, r.bytes);
    }
    before_write(program, *r.spare[place]);
    program.copy_output(k, r.spare[place]->data(), r.bytes);
    after_write(program, *r.current);
    r.current->move_to(r.spare[place]);
    r.current = {};
  }

  Device device_;
  List<Result> results_;
};

}  // namespace WEFT_NAMESPACE::exec
