#pragma once
// A compiled program's image as a list of launches: pointers resolved, numbers in place. Law: running is a
// walk over that list in order, and allocates nothing.

#include <vector>

#include "weft/codegen/image.hpp"
#include "weft/kernels/finish.hpp"

namespace weft::exec {

// The blocks a program works on.
struct Blocks {
  std::byte* model = nullptr;
  std::byte* optimizer = nullptr;
  std::byte* workspace = nullptr;
  std::byte* scalars = nullptr;
};

// `Launch`: how the device wants one step, with members run, args, numbers, number_count, sums and sum_count.
template <class Launch>
class Steps {
 public:
  // Reads an image's steps; `kernels` has its kernels' functions.
  Steps(const codegen::ImageHeader& header, const u64* image, const decltype(Launch::run)* kernels,
        const Blocks& blocks)
      : header_(header), image_(image), blocks_(blocks), launches_(static_cast<std::size_t>(header.steps)) {
    for (int s = 0; s < header.steps; ++s) {
      const u64* w = image + header.step_at + codegen::step_words * s;
      Launch& launch = launches_[static_cast<std::size_t>(s)];
      launch.run = kernels[w[0] >> 8];
      const int first = static_cast<int>(w[1] & 0xffffffff), addresses = static_cast<int>(w[1] >> 32);
      launch.numbers = image + header.number_at + (w[2] & 0xffffffff);
      launch.number_count = static_cast<int>(w[2] >> 32);
      if (static_cast<codegen::StepKind>(w[0] & 255) == codegen::StepKind::finish) {
        launch.sum_count = addresses / 2;
        for (int k = 0; k < launch.sum_count; ++k)
          sums_.push_back(kernels::finish_sum(launch.numbers + kernels::finish_numbers * k,
                                              resolve(image[header.address_at + first + 2 * k]),
                                              resolve(image[header.address_at + first + 2 * k + 1])));
        continue;
      }
      for (int a = 0; a < addresses; ++a) {
        const u64 address = image[header.address_at + first + a];
        if (address != passes::Address::none && passes::Address::space(address) == ir::Space::input)
          inputs_.push_back({s, a, passes::Address::index(address), passes::Address::offset(address)});
        launch.args.pointer[a] = resolve(address);
      }
      if (static_cast<codegen::StepKind>(w[0] & 255) == codegen::StepKind::loop) {
        kernels::LoopArgs& args = launch.args;
        args.rows = static_cast<i64>(launch.numbers[0]);
        args.rows_per_chunk = static_cast<i64>(launch.numbers[1]);
        args.chunks = static_cast<i64>(launch.numbers[2]);
        args.last_cols = static_cast<i64>(launch.numbers[3]);
        args.partial_bytes = static_cast<i64>(launch.numbers[4]);
        const int streams = static_cast<int>(launch.numbers[5]), tail = 6 + streams;
        for (int k = 0; k < streams; ++k) args.stream[k] = static_cast<u32>(launch.numbers[6 + k]);
        for (int k = tail; k + 2 < launch.number_count; k += 3)
          segments_.push_back({static_cast<i64>(launch.numbers[k]), static_cast<i64>(launch.numbers[k + 1]),
                               static_cast<i64>(launch.numbers[k + 2])});
        args.segment_count = (launch.number_count - tail) / 3;
      }
    }
    std::size_t next = 0, next_sum = 0;
    for (Launch& launch : launches_) {
      launch.sums = sums_.data() + next_sum;
      next_sum += static_cast<std::size_t>(launch.sum_count);
      launch.args.segments = segments_.data() + next;
      next += static_cast<std::size_t>(launch.args.segment_count);
    }
  }

  // Input `number` is read from `data` until the next call.
  void bind_input(int number, const void* data) {
    for (const InputUse& use : inputs_)
      if (use.input == number)
        launches_[static_cast<std::size_t>(use.step)].args.pointer[use.operand] =
            const_cast<std::byte*>(static_cast<const std::byte*>(data)) + use.offset;
  }

  // Runs every step; `context` is what the device's functions take beside the step.
  template <class Context>
  void run(const Context& context) const {
    for (const Launch& launch : launches_) launch.run(launch, context);
  }

  // In the order of the image's steps.
  std::vector<Launch>& launches() { return launches_; }

  std::byte* output(int k) const { return static_cast<std::byte*>(resolve(image_[header_.output_at + k])); }

 private:
  struct InputUse {
    int step, operand, input;
    i64 offset;
  };

  void* resolve(u64 address) const {
    if (address == passes::Address::none) return nullptr;
    const i64 offset = passes::Address::offset(address);
    switch (passes::Address::space(address)) {
      case ir::Space::model:
        return blocks_.model + offset;
      case ir::Space::optimizer:
        return blocks_.optimizer + offset;
      case ir::Space::scalars:
        return blocks_.scalars + offset;
      case ir::Space::input:
        return nullptr;
      default:
        return blocks_.workspace + offset;
    }
  }

  codegen::ImageHeader header_;
  const u64* image_;
  Blocks blocks_;
  std::vector<Launch> launches_;
  std::vector<InputUse> inputs_;
  std::vector<kernels::Segment> segments_;  // of all segmented loops
  std::vector<kernels::FinishSum> sums_;    // of all second stages
};

}  // namespace weft::exec
