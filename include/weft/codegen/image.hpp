#pragma once
// A lowered program frozen into exactly sized 64-bit words, and each kernel's words copied out through a small
// slice into a Code type: compilers keep flat integers cheaply and structures not.

#include "weft/codegen/lower.hpp"

namespace weft::codegen {

// Where the parts of an image begin, and what a program needs to know before it runs.
struct ImageHeader {
  int kernels = 0, steps = 0;
  int kernel_at = 0, word_at = 0, step_at = 0, address_at = 0, number_at = 0, output_at = 0;
  int outputs = 0;
  int size = 0;
  int scalars = 0;
  i64 workspace_bytes = 0, model_bytes = 0, optimizer_bytes = 0;
  i64 flops = 0, bytes = 0;
  int launches = 0;
  int nodes = 0;
};

struct Output {
  u64 address = 0;
};

inline constexpr int kernel_words = 2;
inline constexpr int step_words = 5;

// What one constant evaluation yields before it is frozen.
struct Build {
  Lowered lowered;
  List<u64> outputs;
  ImageHeader header;
};

constexpr Build finish_build(const ir::Graph& g, const passes::Plan& plan, Lowered lowered) {
  Build b;
  ImageHeader& h = b.header;
  h.kernels = lowered.kernels.size();
  h.steps = lowered.steps.size();
  h.outputs = plan.outputs.size();
  h.kernel_at = 0;
  h.word_at = h.kernel_at + kernel_words * h.kernels;
  h.step_at = h.word_at + lowered.words.size();
  h.address_at = h.step_at + step_words * h.steps;
  h.number_at = h.address_at + lowered.addresses.size();
  h.output_at = h.number_at + lowered.numbers.size();
  h.size = h.output_at + h.outputs + 1;
  h.scalars = g.scalar_count;
  h.workspace_bytes = plan.workspace_bytes;
  h.model_bytes = g.model_bytes;
  h.optimizer_bytes = g.optimizer_bytes;
  h.nodes = g.nodes.size();
  for (const Step& s : lowered.steps) {
    h.flops += s.flops;
    h.bytes += s.bytes;
  }
  h.launches = lowered.steps.size();
  b.outputs = plan.outputs;
  b.lowered = static_cast<Lowered&&>(lowered);
  return b;
}

template <int N>
struct Words {
  u64 w[N > 0 ? N : 1]{};
};

template <int N>
constexpr Words<N> freeze(const Build& b) {
  Words<N> image;
  const ImageHeader& h = b.header;
  for (int k = 0; k < h.kernels; ++k) {
    image.w[h.kernel_at + kernel_words * k] = static_cast<u64>(b.lowered.kernels[k].kind) | static_cast<u64>(b.lowered.kernels[k].words.begin) << 8;
    image.w[h.kernel_at + kernel_words * k + 1] = static_cast<u64>(b.lowered.kernels[k].words.size);
  }
  for (int i = 0; i < b.lowered.words.size(); ++i) image.w[h.word_at + i] = b.lowered.words[i];
  for (int s = 0; s < h.steps; ++s) {
    const Step& step = b.lowered.steps[s];
    u64* w = image.w + h.step_at + step_words * s;
    w[0] = static_cast<u64>(step.kind) | static_cast<u64>(step.kernel) << 8;
    w[1] = static_cast<u64>(step.addresses.begin) | static_cast<u64>(step.addresses.size) << 32;
    w[2] = static_cast<u64>(step.numbers.begin) | static_cast<u64>(step.numbers.size) << 32;
    w[3] = static_cast<u64>(step.bytes);
    w[4] = static_cast<u64>(step.flops);
  }
  for (int i = 0; i < b.lowered.addresses.size(); ++i) image.w[h.address_at + i] = b.lowered.addresses[i];
  for (int i = 0; i < b.lowered.numbers.size(); ++i) image.w[h.number_at + i] = b.lowered.numbers[i];
  for (int i = 0; i < h.outputs; ++i) image.w[h.output_at + i] = b.outputs[i];
  return image;
}

// P has `header` (ImageHeader) and `image` (Words).
template <class P>
constexpr StepKind kernel_kind(int k) {
  return static_cast<StepKind>(P::image.w[P::header.kernel_at + kernel_words * k] & 255);
}

template <class P, int K>
struct KernelSlice {
  static constexpr int begin = static_cast<int>(P::image.w[P::header.kernel_at + kernel_words * K] >> 8);
  static constexpr int size = static_cast<int>(P::image.w[P::header.kernel_at + kernel_words * K + 1]);
  static constexpr Words<size> make() {
    Words<size> r;
    for (int i = 0; i < size; ++i) r.w[i] = P::image.w[P::header.word_at + begin + i];
    return r;
  }
  static constexpr Words<size> words = make();
};

template <class Slice, std::size_t... I>
auto code_of_slice(std::index_sequence<I...>) -> kernels::Code<Slice::words.w[I]...>;

// Kernel K of program P as a type.
template <class P, int K>
using code_of = decltype(code_of_slice<KernelSlice<P, K>>(std::make_index_sequence<KernelSlice<P, K>::size>{}));

}  // namespace weft::codegen
