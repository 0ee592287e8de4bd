#pragma once
// A compiled program on the host: its steps as function pointers with resolved addresses over blocks of memory
// that the caller or the program owns. Running it is a walk over that list; nothing is allocated.

#include <cstring>
#include <vector>

#include "weft/codegen/image.hpp"
#include "weft/device/cpu.hpp"
#include "weft/kernels/host_launch.hpp"

namespace weft::exec {

using HostKernel = void (*)(const kernels::HostLaunch&, int);

// The function of every kernel of program P.
template <class P, int K>
constexpr HostKernel host_kernel() {
  constexpr codegen::StepKind kind = codegen::kernel_kind<P>(K);
  if constexpr (kind == codegen::StepKind::loop)
    return &kernels::run_loop<codegen::code_of<P, K>>;
  else if constexpr (kind == codegen::StepKind::dot)
    return &kernels::run_dot<codegen::code_of<P, K>>;
  else if constexpr (kind == codegen::StepKind::gather)
    return &kernels::run_gather<codegen::code_of<P, K>>;
  else if constexpr (kind == codegen::StepKind::scatter_add)
    return &kernels::run_scatter_add<codegen::code_of<P, K>>;
  else if constexpr (kind == codegen::StepKind::finish)
    return &kernels::run_finish;
  else
    return &kernels::run_copy;
}

template <class P>
struct HostKernels {
  struct Table {
    HostKernel at[P::header.kernels > 0 ? P::header.kernels : 1]{};
  };
  template <int... K>
  static constexpr Table make(std::integer_sequence<int, K...>) {
    return {{host_kernel<P, K>()...}};
  }
  static constexpr Table table = make(std::make_integer_sequence<int, P::header.kernels>{});
};

// The blocks a program works on.
struct Blocks {
  std::byte* model = nullptr;
  std::byte* optimizer = nullptr;
  std::byte* workspace = nullptr;
  std::byte* scalars = nullptr;
};

class HostSteps {
 public:
  // Reads an image's steps; `kernels` has its kernels' functions.
  HostSteps(const codegen::ImageHeader& header, const u64* image, const HostKernel* kernels, const Blocks& blocks)
      : header_(header), image_(image), blocks_(blocks), launches_(static_cast<std::size_t>(header.steps)) {
    for (int s = 0; s < header.steps; ++s) {
      const u64* w = image + header.step_at + codegen::step_words * s;
      kernels::HostLaunch& launch = launches_[static_cast<std::size_t>(s)];
      launch.run = kernels[w[0] >> 8];
      const int first = static_cast<int>(w[1] & 0xffffffff), addresses = static_cast<int>(w[1] >> 32);
      launch.numbers = image + header.number_at + (w[2] & 0xffffffff);
      launch.number_count = static_cast<int>(w[2] >> 32);
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
          segments_.push_back({static_cast<i64>(launch.numbers[k]), static_cast<i64>(launch.numbers[k + 1]), static_cast<i64>(launch.numbers[k + 2])});
        args.segment_count = (launch.number_count - tail) / 3;
      }
    }
    std::size_t next = 0;
    for (kernels::HostLaunch& launch : launches_) {
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

  void run(int threads) const {
    for (const kernels::HostLaunch& launch : launches_) launch.run(launch, threads);
  }

  std::byte* output(int k) const {
    return static_cast<std::byte*>(resolve(image_[header_.output_at + k]));
  }

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
  std::vector<kernels::HostLaunch> launches_;
  std::vector<InputUse> inputs_;
  std::vector<kernels::Segment> segments_;  // of all segmented loops
};

// Program P (a Compiled<...>) with memory of its own for intermediate values and scalars.
template <class P>
class HostProgram {
 public:
  HostProgram(const Cpu& device, std::byte* model, std::byte* optimizer)
      : threads_(device.threads),
        workspace_(static_cast<std::size_t>(P::header.workspace_bytes)),
        scalars_(static_cast<std::size_t>(P::header.scalars) * 4),
        steps_(P::header, P::image.w, HostKernels<P>::table.at,
               {model, optimizer, workspace_.data(), scalars_.data()}) {
    if (workspace_.size() > 0) std::memset(workspace_.data(), 0, workspace_.size());
    std::memset(scalars_.data(), 0, scalars_.size());
  }

  void set_random(u64 seed, u64 step) {
    std::memcpy(scalars_.data(), &seed, 8);
    std::memcpy(scalars_.data() + 8, &step, 8);
  }
  // Run-time scalar k, in the order the trace asked for them.
  void set_scalar(int k, float value) { std::memcpy(scalars_.data() + 4 * k, &value, 4); }
  void bind_input(int number, const void* data) { steps_.bind_input(number, data); }
  void run() const { steps_.run(threads_); }
  // Until everything that run() started has ended; on the host it has when run() returns.
  void wait() const {}
  std::byte* output(int k) const { return steps_.output(k); }
  void read_output(int k, void* to, i64 bytes) const { std::memcpy(to, output(k), static_cast<std::size_t>(bytes)); }

 private:
  int threads_ = 0;
  HostBuffer workspace_, scalars_;
  HostSteps steps_;
};

}  // namespace weft::exec
