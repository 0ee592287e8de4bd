#pragma once
// What lowering yields: the distinct kernels as words, and the steps that launch them in order. This is what
// is frozen into a program's constant data.

#include "weft/core/hash_index.hpp"
#include "weft/kernel_ir/memory_plan.hpp"
#include "weft/kernels/evaluator/code.hpp"

namespace WEFT_NAMESPACE::compiler {

// repeat: runs the steps behind it several times (RepeatCall).
enum class StepKind : u8 {
  fused,
  combine_partials,
  dot,
  take_rows,
  scatter_add,
  copy,
  conv,
  scan,
  argsort,
  take_along_axis,
  scatter_reduce,
  searchsorted,
  dynamic_slice,
  dynamic_update_slice,
  custom,
  all_reduce_start,
  all_reduce_done,
  reduce_scatter_start,
  reduce_scatter_done,
  reduce_scatter_into_start,
  reduce_scatter_into_done,
  reduce_scatter_state_start,
  all_reduce_max,
  all_gather_state_start,
  all_gather_start,
  collective_await,
  all_gather_done,
  group_collective,
  attention,
  attention_gradient,
  repeat
};

// The numbers of a repeat: its trips, the steps behind it that are inside, and the bindings that it sets.
struct RepeatCall {
  i64 trips = 0;
  int inside = 0, first_binding = 0, bindings = 0;

  static constexpr int numbers = 4, binding_at = 2;
  constexpr void encode(u64* n) const {
    n[0] = static_cast<u64>(trips), n[1] = static_cast<u64>(inside);
    n[binding_at] = static_cast<u64>(first_binding), n[3] = static_cast<u64>(bindings);
  }
  static constexpr RepeatCall decode(const u64* n) {
    return {static_cast<i64>(n[0]), static_cast<int>(n[1]), static_cast<int>(n[binding_at]),
            static_cast<int>(n[3])};
  }
};

// What an address of Space::bound, whose index names a binding, is in trip n: `first` in the first trip where
// there is one; else base + n * stride, or `other` in every second trip, counted back from the last.
struct Binding {
  u64 first = kernel_ir::BufferAddress::none, base = kernel_ir::BufferAddress::none,
      other = kernel_ir::BufferAddress::none;
  i64 stride = 0;
  bool ahead = false;  // none in the last trip
};

// The fold of a reduction.
constexpr kernels::Fold fold_of(ir::Op op) {
  switch (op) {
    case ir::Op::reduce_max:
      return kernels::Fold::max;
    case ir::Op::reduce_min:
      return kernels::Fold::min;
    case ir::Op::reduce_prod:
      return kernels::Fold::prod;
    case ir::Op::argmax:
      return kernels::Fold::argmax;
    case ir::Op::argmin:
      return kernels::Fold::argmin;
    default:
      return kernels::Fold::sum;
  }
}

// One launch. `numbers` are the arguments that are not addresses, in the order its kind defines.
struct Step {
  StepKind kind{};
  int kernel = 0;
  ir::Span addresses, numbers;
  i64 bytes = 0;  // read and written, each operand once
  i64 flops = 0;
};

struct KernelCode {
  StepKind kind{};
  ir::Span words;
};

struct Lowered {
  List<KernelCode> kernels;
  List<u64> words;  // of all kernels
  List<Step> steps;
  List<u64> addresses;  // kernel_ir::BufferAddress of every operand
  List<u64> numbers;
  List<Binding> bindings;

  // The number of the kernel with these words; equal kernels are one.
  constexpr int kernel(StepKind kind, const List<u64>& code) {
    return kernel(kind, code.data(), code.size());
  }
  constexpr int kernel(StepKind kind, const u64* code, int size) {
    u64 h = static_cast<u64>(kind) + 1;
    for (int i = 0; i < size; ++i) h = (h ^ (h >> 31) ^ code[i]) * 0x9e3779b97f4a7c15ull;
    for (int k = index_.first(h); k >= 0; k = index_.next(k)) {
      if (kernels[k].kind != kind || kernels[k].words.size != size) continue;
      const u64* known = words.data() + kernels[k].words.begin;
      bool same = true;
      for (int i = 0; i < size && same; ++i) same = known[i] == code[i];
      if (same) return k;
    }
    kernels.push({kind, {words.size(), size}});
    index_.add(h);
    words.append(code, size);
    return kernels.size() - 1;
  }
  constexpr Step& step(StepKind kind, int kernel_number, const List<u64>& at, const List<u64>& more) {
    Step s;
    s.kind = kind;
    s.kernel = kernel_number;
    s.addresses = {addresses.size(), at.size()};
    addresses.append(at.data(), at.size());
    s.numbers = {numbers.size(), more.size()};
    numbers.append(more.data(), more.size());
    steps.push(s);
    return steps.back();
  }

  // Adds the steps of another part of the same program behind these.
  constexpr void append(const Lowered& part) {
    List<int> renumbered(part.kernels.size(), 0);
    for (int k = 0; k < part.kernels.size(); ++k)
      renumbered[k] = kernel(part.kernels[k].kind, part.words.data() + part.kernels[k].words.begin,
                             part.kernels[k].words.size);
    for (Step s : part.steps) {
      s.kernel = renumbered[s.kernel];
      s.addresses.begin += addresses.size();
      s.numbers.begin += numbers.size();
      steps.push(s);
    }
    const int bound = bindings.size(), first_address = addresses.size(),
              first_step = steps.size() - part.steps.size();
    addresses.append(part.addresses.data(), part.addresses.size());
    numbers.append(part.numbers.data(), part.numbers.size());
    if (part.bindings.empty()) return;
    bindings.append(part.bindings.data(), part.bindings.size());
    if (bound == 0) return;
    for (int k = first_address; k < addresses.size(); ++k) shift_binding(addresses[k], bound);
    for (int k = bound; k < bindings.size(); ++k)
      for (u64* a : {&bindings[k].first, &bindings[k].base, &bindings[k].other}) shift_binding(*a, bound);
    for (int s = first_step; s < steps.size(); ++s)
      if (steps[s].kind == StepKind::repeat) move_bindings(steps[s], bound);
  }

  // Of a step of kind repeat.
  constexpr RepeatCall repeat_call(const Step& step) const {
    return RepeatCall::decode(numbers.data() + step.numbers.begin);
  }
  // Its bindings stand `by` places later.
  constexpr void move_bindings(const Step& step, int by) {
    numbers[step.numbers.begin + RepeatCall::binding_at] += static_cast<u64>(by);
  }

 private:
  static constexpr void shift_binding(u64& address, int by) {
    using kernel_ir::BufferAddress;
    if (address != BufferAddress::none && BufferAddress::space(address) == ir::Space::bound)
      address = BufferAddress::make(ir::Space::bound, BufferAddress::offset(address),
                                    BufferAddress::index(address) + by);
  }
  HashIndex index_;  // of the kernels
};

}  // namespace WEFT_NAMESPACE::compiler
