#pragma once
// A lowered program frozen into exactly sized 64-bit words, and each kernel's words copied out through a
// small slice into a Code type: compilers keep flat integers cheaply and structures not.

#include "weft/compiler/lower.hpp"
#include "weft/core/constexpr_stage.hpp"

namespace WEFT_NAMESPACE::compiler {

// Where the parts of an image begin, and what a program needs to know before it runs.
// A value that the workspace holds, for the sentence that says that there is no room for it.
struct LargeValue {
  i64 bytes = 0;          // 0: none
  int op = 0, dtype = 0;  // what makes it, in a loop's body
  Dims dims;
};

struct ImageHeader {
  int kernels = 0, steps = 0;
  int kernel_at = 0, word_at = 0, step_at = 0, address_at = 0, number_at = 0, output_at = 0, preset_at = 0,
      input_at = 0, binding_at = 0;
  int outputs = 0, presets = 0, inputs = 0, bindings = 0;
  int size = 0;
  int scalars = 0;
  i64 workspace_bytes = 0, model_bytes = 0, optimizer_bytes = 0;
  i64 flops = 0, bytes = 0;
  int launches = 0;
  int nodes = 0;
  int assigns = 0;
  LargeValue largest[3];  // of the workspace, the largest first
};

inline constexpr int kernel_words = 2;
inline constexpr int step_words = 5;
inline constexpr int binding_words = 5;

// What a program needs beside its kernels and launches.
struct Image {
  List<u64> outputs;
  List<ir::Preset> presets;
  List<i64> input_bytes;  // 0 for an input that nothing reads
  ImageHeader header;
};

// Adds the launches, bytes and FLOPs of steps [begin, end), which run `trips` times.
constexpr void count_work(const Lowered& l, int begin, int end, i64 trips, ImageHeader& h) {
  for (int s = begin; s < end; ++s) {
    const Step& step = l.steps[s];
    if (step.kind == StepKind::repeat) {
      const RepeatCall loop = l.repeat_call(step);
      count_work(l, s + 1, s + 1 + loop.inside, trips * loop.trips, h);
      s += loop.inside;
    } else {
      h.flops += trips * step.flops;
      h.bytes += trips * step.bytes;
      h.launches += static_cast<int>(trips);
    }
  }
}

// The largest values of the workspace, each piece of memory once: of those computed in one place the first.
// (What a loop keeps for one trip is left out.)
constexpr void find_largest(const ir::Graph& g, const kernel_ir::Plan& plan, LargeValue (&largest)[3]) {
  constexpr int count = 3;
  i64 offsets[count]{-1, -1, -1};
  int nodes[count]{};
  for (int x = 0; x < g.nodes.size(); ++x) {
    if (!plan.in_workspace(x)) continue;
    const i64 bytes = kernel_ir::bytes_of(g, x), offset = plan.offset(x);
    int place = 0;
    while (place < count && largest[place].bytes >= bytes && offsets[place] != offset) ++place;
    if (place == count || largest[place].bytes >= bytes) continue;
    int last = place;  // what goes: the same memory as something smaller, or the smallest
    while (last < count - 1 && offsets[last] != offset) ++last;
    for (; last > place; --last)
      largest[last] = largest[last - 1], offsets[last] = offsets[last - 1], nodes[last] = nodes[last - 1];
    largest[place] = {bytes, 0, static_cast<int>(g.nodes[x].dtype), g.dims(x)};
    offsets[place] = offset;
    nodes[place] = x;
  }
  for (int k = 0; k < count; ++k)
    if (largest[k].bytes > 0) largest[k].op = static_cast<int>(ir::made_by(g, nodes[k]));
}

constexpr Image link(const ir::Graph& g, const kernel_ir::Plan& plan, const Lowered& lowered) {
  Image b;
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
  h.preset_at = h.output_at + h.outputs;
  h.presets = g.presets.size();
  h.inputs = g.inputs.size();
  h.input_at = h.preset_at + h.presets;
  h.binding_at = h.input_at + h.inputs;
  h.bindings = lowered.bindings.size();
  h.size = h.binding_at + binding_words * h.bindings + 1;
  h.scalars = g.scalar_count;
  h.workspace_bytes = plan.workspace_bytes;
  h.model_bytes = g.model_bytes;
  h.optimizer_bytes = g.optimizer_bytes;
  h.nodes = g.nodes.size();
  h.assigns = g.assigns.size();
  find_largest(g, plan, h.largest);
  count_work(lowered, 0, lowered.steps.size(), 1, h);
  b.outputs = plan.outputs;
  b.presets = g.presets;
  for (int node : g.inputs) b.input_bytes.push(node < 0 ? 0 : kernel_ir::bytes_of(g, node));
  return b;
}

// The image's parts follow each other in the order of the header's fields.
constexpr void write(WordWriter& w, const Image& b, const Lowered& lowered) {
  const ImageHeader& h = b.header;
  for (const KernelCode& k : lowered.kernels) {
    w.put(static_cast<u64>(k.kind) | static_cast<u64>(k.words.begin) << 8);
    w.put_int(k.words.size);
  }
  w.put_all(lowered.words.data(), lowered.words.size());
  for (const Step& step : lowered.steps) {
    w.put(static_cast<u64>(step.kind) | static_cast<u64>(step.kernel) << 8);
    w.put_pair(step.addresses.begin, step.addresses.size);
    w.put_pair(step.numbers.begin, step.numbers.size);
    w.put_int(step.bytes);
    w.put_int(step.flops);
  }
  w.put_all(lowered.addresses.data(), lowered.addresses.size());
  w.put_all(lowered.numbers.data(), lowered.numbers.size());
  for (int i = 0; i < h.outputs; ++i) w.put(b.outputs[i]);
  for (const ir::Preset& p : b.presets)
    w.put(static_cast<u64>(p.scalar) | static_cast<u64>(std::bit_cast<u32>(p.value)) << 32);
  for (i64 bytes : b.input_bytes) w.put_int(bytes);
  for (const Binding& x : lowered.bindings) {
    for (const u64 a : {x.first, x.base, x.other}) w.put(a);
    w.put_int(x.stride);
    w.put(x.ahead ? 1 : 0);
  }
  w.put(0);
}

// The header goes in front of the image's words.
inline constexpr int header_words = 25 + 3 * (4 + max_rank);
constexpr void write(WordWriter& w, const ImageHeader& h) {
  for (const int x :
       {h.kernels,   h.steps,     h.kernel_at, h.word_at,    h.step_at,  h.address_at, h.number_at,
        h.output_at, h.preset_at, h.input_at,  h.outputs,    h.presets,  h.inputs,     h.size,
        h.scalars,   h.launches,  h.nodes,     h.binding_at, h.bindings, h.assigns})
    w.put_int(x);
  for (const i64 x : {h.workspace_bytes, h.model_bytes, h.optimizer_bytes, h.flops, h.bytes}) w.put_int(x);
  for (const LargeValue& value : h.largest) {
    w.put_int(value.bytes);
    for (const int x : {value.op, value.dtype, value.dims.rank}) w.put_int(x);
    for (const i64 extent : value.dims.extent) w.put_int(extent);
  }
}
constexpr ImageHeader read_header(const u64* words) {
  WordReader r(words);
  ImageHeader h;
  for (int* x :
       {&h.kernels,   &h.steps,     &h.kernel_at, &h.word_at,    &h.step_at,  &h.address_at, &h.number_at,
        &h.output_at, &h.preset_at, &h.input_at,  &h.outputs,    &h.presets,  &h.inputs,     &h.size,
        &h.scalars,   &h.launches,  &h.nodes,     &h.binding_at, &h.bindings, &h.assigns})
    *x = r.get_size();
  for (i64* x : {&h.workspace_bytes, &h.model_bytes, &h.optimizer_bytes, &h.flops, &h.bytes})
    *x = r.get_int();
  for (LargeValue& value : h.largest) {
    value.bytes = r.get_int();
    for (int* x : {&value.op, &value.dtype, &value.dims.rank}) *x = r.get_size();
    for (i64& extent : value.dims.extent) extent = r.get_int();
  }
  return h;
}

// What write() made of a kernel, of a step and of a binding, read where it lies in the image.
struct ImageKernel {
  StepKind kind{};
  const u64* words = nullptr;
  int size = 0;
};
struct ImageStep {
  StepKind kind{};
  int kernel = 0;
  const u64* addresses = nullptr;
  int address_count = 0;
  const u64* numbers = nullptr;
  int number_count = 0;
};
constexpr ImageKernel read_kernel(const ImageHeader& h, const u64* image, int k) {
  const u64* const w = image + h.kernel_at + kernel_words * k;
  return {static_cast<StepKind>(w[0] & 255), image + h.word_at + (w[0] >> 8), static_cast<int>(w[1])};
}
constexpr ImageStep read_step(const ImageHeader& h, const u64* image, int s) {
  const u64* const w = image + h.step_at + step_words * s;
  const auto begin = [](u64 pair) { return static_cast<int>(pair & 0xffffffff); };
  const auto size = [](u64 pair) { return static_cast<int>(pair >> 32); };
  return {static_cast<StepKind>(w[0] & 255),  static_cast<int>(w[0] >> 8),
          image + h.address_at + begin(w[1]), size(w[1]),
          image + h.number_at + begin(w[2]),  size(w[2])};
}
constexpr Binding read_binding(const ImageHeader& h, const u64* image, int k) {
  const u64* const w = image + h.binding_at + binding_words * k;
  return {w[0], w[1], w[2], static_cast<i64>(w[3]), w[4] != 0};
}

// The same of a compiled program P, which has `header` (ImageHeader) and `image` (words).
template <class P>
constexpr ImageKernel kernel_of(int k) {
  return read_kernel(P::header, P::image, k);
}
template <class P>
constexpr ImageStep step_of(int s) {
  return read_step(P::header, P::image, s);
}
template <class P>
constexpr StepKind kernel_kind(int k) {
  return kernel_of<P>(k).kind;
}

template <class P, int K>
struct KernelSlice {
  static constexpr ImageKernel kernel = kernel_of<P>(K);
  static constexpr int size = kernel.size;
  static constexpr Words<size> make() {
    Words<size> r;
    for (int i = 0; i < size; ++i) r.w[i] = kernel.words[i];
    return r;
  }
  static constexpr Words<size> words = make();
};

template <class Slice, std::size_t... I>
auto code_of_slice(std::index_sequence<I...>) -> kernels::Code<Slice::words.w[I]...>;

// Kernel K of program P as a type.
template <class P, int K>
using code_of =
    decltype(code_of_slice<KernelSlice<P, K>>(std::make_index_sequence<KernelSlice<P, K>::size>{}));

}  // namespace WEFT_NAMESPACE::compiler
